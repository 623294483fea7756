import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import type { Content } from "#kit/events/content.ts";
import { type Event, functionCalls, functionResponses, saidContent } from "#kit/events/event.ts";
import type { BaseLlmAgent } from "#kit/llm-agent/base/base-llm-agent.ts";
import type { StepContext } from "#kit/llm-agent/base/step-context.ts";
import { startTurn } from "#kit/llm-agent/output/check-output.ts";
import { buildRequest } from "#kit/llm-agent/request/build-request.ts";
import { executeTools } from "#kit/llm-agent/tool-calls/execute-tools.ts";
import type { BaseLlmConnection } from "#kit/models/base-llm-connection.ts";
import type { StoredHandle } from "./resumption-handle.ts";

/**
 * Answers the calls that ran when the run's runner was lost, before the conversation continues: idempotent tools run
 * again, and the outcome of others is unknown.
 */
export async function* answerOpenCalls(agent: BaseLlmAgent, context: InvocationContext): AsyncGenerator<Event> {
  const calls = context.isRecovered ? openCalls(agent, context) : [];
  for (const event of calls) {
    const request = await buildRequest(agent, context);
    const step = { agent, context, request, turn: startTurn({ agent, context }) };
    await context.persisted();
    yield* executeTools(step, event, { resumed: true });
  }
}

/** The events of this agent in this run with calls that have no response and wait for none. */
function openCalls(agent: BaseLlmAgent, { session, invocationId }: InvocationContext): readonly Event[] {
  const own = session.events.filter((event) => event.invocationId === invocationId);
  const answered = new Set(own.flatMap(functionResponses).map(({ id }) => id));
  return own.filter(
    (event) =>
      event.author === agent.name &&
      functionCalls(event).some(({ id = "" }) => !answered.has(id) && event.longRunningToolIds?.includes(id) !== true),
  );
}

/**
 * Gives the session the conversation so far. A session that the provider continues lacks only what came after its
 * handle; any other gets all of it as text, which an event reports if an earlier runner had a session.
 */
export async function* continueSession(
  step: StepContext,
  {
    connection,
    stored,
    isFirst,
  }: {
    readonly connection: BaseLlmConnection;
    readonly stored: StoredHandle | undefined;
    readonly isFirst: boolean;
  },
): AsyncGenerator<Event> {
  const { context, request } = step;
  if (connection.resumed === true && stored !== undefined) {
    const since = contentsAfter(context, stored.afterEventId);
    if (since.length > 0) await connection.sendHistory(since);
    return;
  }
  if (request.contents.length > 0) await connection.sendHistory(request.contents);
  if (isFirst && context.isRecovered && hasOwnEvents(context))
    yield context.createEvent({
      customMetadata: {
        liveModelChange: { from: request.model, to: request.model, reason: "RUN_RECOVERED", replayed: true },
      },
    });
}

function hasOwnEvents({ session, invocationId }: InvocationContext): boolean {
  return session.events.some((event) => event.invocationId === invocationId);
}

/**
 * What was said after the event. What the user has spoken without an answer is left out: the client sends the sound
 * again.
 */
function contentsAfter(
  { session, invocationId }: InvocationContext,
  afterEventId: string | undefined,
): readonly Content[] {
  const from = session.events.findIndex(({ id }) => id === afterEventId) + 1;
  const since = session.events.slice(from).filter((event) => event.invocationId === invocationId);
  const answeredUntil = since.findLastIndex((event) => saidContent(event)?.role === "model");
  return since.flatMap((event, index) =>
    index > answeredUntil && event.inputTranscription !== undefined ? [] : (saidContent(event) ?? []),
  );
}
