import { hasLargeInlineData } from "#kit/artifacts/inline-data.ts";
import type { RunConfig } from "#kit/core/context/run-config.ts";
import type { PluginManager } from "#kit/core/plugin-manager.ts";
import type { Content } from "#kit/events/content.ts";
import { createEvent, type Event, type EventInput, USER_AUTHOR } from "#kit/events/event.ts";
import { createEventActions, type EventActions } from "#kit/events/event-actions.ts";
import type { ConcurrencyPolicy, RunRequest } from "#kit/sessions/run-record.ts";
import { continuesInvocation } from "./choose-turn.ts";

/** The content of a turn's first event: the user's message, and the state changes of its request. */
export function userEventInput(
  { stateDelta, customMetadata }: RunRequest,
  content: Content | undefined,
  artifactDelta?: EventActions["artifactDelta"],
): Omit<EventInput, "id" | "invocationId" | "timestamp"> {
  const acts = stateDelta !== undefined || artifactDelta !== undefined;
  return {
    author: USER_AUTHOR,
    content: content?.role === undefined ? content && { ...content, role: "user" } : content,
    actions: acts ? createEventActions({ stateDelta, artifactDelta }) : undefined,
    customMetadata,
  };
}

export interface OpeningOptions {
  readonly policy: ConcurrencyPolicy | undefined;
  readonly runConfig: RunConfig;
  readonly pluginManager: PluginManager;
  /** Whether large data is moved from events to artifacts. */
  readonly movesData: boolean;
}

/**
 * Whether the run's first event is known before the run begins. It is not if plugins or the artifact store may change
 * the message, if a rollback comes before it, or if it continues an earlier turn, whose branch it then has.
 */
export function hasKnownOpening(request: RunRequest, options: OpeningOptions): boolean {
  const { newMessage, stateDelta } = request;
  const { policy, runConfig, pluginManager, movesData } = options;
  if (newMessage === undefined && stateDelta === undefined) return false;
  if (policy === "rollback" || continuesInvocation(request)) return false;
  if (newMessage === undefined) return true;
  if (runConfig.saveInputBlobsAsArtifacts || (movesData && hasLargeInlineData(newMessage))) return false;
  return pluginManager.links("onUserMessageCallback").length === 0;
}

/** Creates a turn's first event from an unchanged message. */
export function createOpening(
  request: RunRequest,
  place: Pick<EventInput, "id" | "invocationId" | "timestamp">,
): Event {
  return createEvent({ ...userEventInput(request, request.newMessage), ...place });
}
