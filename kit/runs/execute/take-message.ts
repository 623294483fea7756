import { saveMessageFiles } from "#kit/artifacts/save-message-files.ts";
import { firstAnswer } from "#kit/core/compose.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { pluginLinks } from "#kit/core/plugin-manager.ts";
import type { Content } from "#kit/events/content.ts";
import type { EventActions } from "#kit/events/event-actions.ts";
import type { StartedRun } from "#kit/runs/base/started-run.ts";
import { userEventInput } from "#kit/runs/begin/user-event.ts";
import { sessionKey } from "#kit/sessions/session.ts";
import { applyDelta } from "#kit/sessions/state-delta.ts";

/**
 * Passes the message through the plugins and writes it as the turn's first event. Plugins see the state changes of the
 * request, and may change or refuse the message; a refused message is never stored.
 */
export async function takeMessage(run: StartedRun, context: InvocationContext): Promise<Content | undefined> {
  if (run.opening !== undefined) return run.opening.content;
  const { newMessage, stateDelta } = run.record.request;
  if (newMessage === undefined && stateDelta === undefined) return undefined;
  if (stateDelta !== undefined) applyDelta(run.cached.session.state, stateDelta);
  if (newMessage === undefined) {
    await appendUserEvent(run, context, undefined);
    return undefined;
  }
  const links = pluginLinks(run.services, "onUserMessageCallback");
  const message =
    links.length === 0
      ? newMessage
      : ((await firstAnswer("onUserMessageCallback", links, context, newMessage)) ?? newMessage);
  const saved = run.runConfig.saveInputBlobsAsArtifacts ? await saveFiles(context, message) : undefined;
  const content = saved?.content ?? message;
  await appendUserEvent(run, context, content, saved?.artifactDelta);
  return content;
}

function saveFiles(context: InvocationContext, message: Content): ReturnType<typeof saveMessageFiles> {
  const { artifactService, invocationId, session } = context;
  return saveMessageFiles(message, {
    artifactService,
    session: sessionKey(session),
    nameFile: (_file, index) => `artifact_${invocationId}_${index}`,
  });
}

/** Stores the event without emitting it: the client that sent the message has it. */
async function appendUserEvent(
  run: StartedRun,
  context: InvocationContext,
  content: Content | undefined,
  artifactDelta?: EventActions["artifactDelta"],
): Promise<void> {
  const event = context.createEvent(userEventInput(run.record.request, content, artifactDelta));
  await run.writer.add(event, { emit: false });
}
