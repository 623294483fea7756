import { PAUSED_KEY } from "#kit/a2a/conversion/metadata-keys.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { isToolBranch } from "#kit/events/branch.ts";
import type { Part } from "#kit/events/content.ts";
import { createEvent, type Event, functionCalls, functionResponses } from "#kit/events/event.ts";
import { isJsonObject } from "#kit/platform/json.ts";
import type { StartedRun } from "#kit/runs/base/started-run.ts";

const ENDED = { error: "The run ended before this call had answered; whether it took effect is unknown." };

interface ClosedCalls {
  /** Include the calls of agents that serve as tools. After a success the tool's own response covers them. */
  readonly withinTools: boolean;
}

/** Adds responses for interrupted calls, such as those of agents whose siblings ended the turn, before the run ends. */
export async function closeCalls(
  { writer }: StartedRun,
  context: InvocationContext,
  which: ClosedCalls,
): Promise<void> {
  for (const event of closeOpenCalls(context, which)) await writer.add(event, { emit: true });
}

/**
 * Creates a response for each call of the newest turn that has none and waits for none, one event for each event with
 * such calls, so that no history has a call without a response, however its run ended. A remote agent whose task waits
 * answers its own calls later.
 */
export function closeOpenCalls(context: InvocationContext, { withinTools }: ClosedCalls): readonly Event[] {
  const { events } = context.session;
  if (!hasCalls(events, context.invocationId)) return NOTHING;
  const answered = new Set<string | undefined>();
  const closing: Event[] = [];
  const waiting = new Map<string, boolean>();
  for (let index = events.length - 1; index >= 0; index -= 1) {
    const event = events[index];
    if (event === undefined || event.invocationId !== context.invocationId) break;
    for (const { id } of functionResponses(event)) answered.add(id);
    const lane = JSON.stringify([event.author, event.branch]);
    if (!waiting.has(lane)) waiting.set(lane, waitsElsewhere(event));
    if (waiting.get(lane) === true) continue;
    if (event.outside === true || (!withinTools && isToolBranch(event.branch))) continue;
    const open = functionCalls(event).filter(
      ({ id }) => !answered.has(id) && (id === undefined || event.longRunningToolIds?.includes(id) !== true),
    );
    if (open.length === 0) continue;
    const parts = open.map(({ id, name = "" }) => ({
      functionResponse: { id, name, response: ENDED },
    }));
    closing.push(answerTo(event, parts, context));
  }
  return closing.reverse();
}

function waitsElsewhere({ customMetadata }: Event): boolean {
  return isJsonObject(customMetadata) && customMetadata[PAUSED_KEY] === true;
}

const NOTHING: readonly Event[] = [];

function hasCalls(events: readonly Event[], invocationId: string): boolean {
  for (let index = events.length - 1; index >= 0; index -= 1) {
    const event = events[index];
    if (event?.invocationId !== invocationId) return false;
    for (const part of event.content?.parts ?? []) if (part.functionCall !== undefined) return true;
  }
  return false;
}

/** The event has the author and the branch of the calls. */
function answerTo({ author, branch, invocationId }: Event, parts: readonly Part[], context: InvocationContext): Event {
  const { clock, ids } = context.services;
  const event = { id: ids.next(), invocationId, author, timestamp: clock.now(), content: { role: "user", parts } };
  return createEvent(branch === undefined ? event : { ...event, branch });
}
