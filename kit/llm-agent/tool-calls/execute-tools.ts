import { ToolExecutionMode } from "#kit/core/context/run-config.ts";
import type { Part } from "#kit/events/content.ts";
import { type Event, functionResponses, USER_AUTHOR } from "#kit/events/event.ts";
import { createEventActions } from "#kit/events/event-actions.ts";
import { recordedCalls } from "#kit/events/recorded-events.ts";
import type { StepContext } from "#kit/llm-agent/base/step-context.ts";
import { asksUser, questionRequest } from "#kit/llm-agent/questions/question-request.ts";
import { callTool, type PlannedCall, type ToolOutcome } from "./call-tool.ts";
import { doesSomething, mergeActions } from "./merge-actions.ts";
import { runInOrder } from "./run-in-order.ts";
import { MAX_CALLS_PER_ANSWER, MAX_PARALLEL_CALLS, MAX_ROUND_CHARACTERS } from "./tool-limits.ts";
import { errorResponse } from "./tool-response.ts";
import { ToolRound } from "./tool-round.ts";

export interface ExecuteToolsOptions {
  /**
   * The turn was interrupted after the answer, perhaps while the calls ran: calls of idempotent tools run again with
   * the same ids, all others do not, and get a response that their outcome is unknown.
   */
  readonly resumed?: boolean;
}

/**
 * Runs the calls of a model's answer and yields, in this order: events that the tools emit, the one event that answers
 * the calls (in the order of the calls), and the questions to the user if calls have to be confirmed or need data. Every call gets
 * one response, also when the run is aborted or a callback throws; the error is thrown after the events. Returns the
 * answering event; undefined if all of the calls answer later.
 */
export function executeTools(
  step: StepContext,
  event: Event,
  { resumed = false }: ExecuteToolsOptions = {},
): AsyncGenerator<Event, Event | undefined, undefined> {
  const calls = (event.content?.parts ?? []).filter((part) => part.functionCall !== undefined);
  return runCalls(step, resumed ? planAgain(step, event, calls) : calls.map(plan));
}

/** As `executeTools`, for planned calls. */
export async function* runCalls(
  step: StepContext,
  planned: readonly PlannedCall[],
): AsyncGenerator<Event, Event | undefined, undefined> {
  if (planned.length === 0) return undefined;
  const { events } = step.context.session;
  const recorded = recordedCalls(
    events,
    planned.map(({ part }) => part),
  );
  const allowed = planned.map((call) => (recorded.has(call.part) ? call : { ...call, response: NOT_RECORDED }));
  using round = new ToolRound(step);
  const order = concurrencyOf(step);
  const outcomes = yield* round.events.during(runInOrder(allowed, order, callRunner(round)));
  const event = answerEvent(round, outcomes);
  if (event !== undefined) yield event;
  if (round.failure !== undefined) throw round.failure.reason;
  // Without content the event answers no call.
  if (event?.content === undefined) return undefined;
  const question = questionRequest(step.context, event, planned);
  if (question !== undefined) yield question;
  return event;
}

/**
 * Runs a call when the agent's executor starts it. A call that waits for the executor does not delay the end of the
 * run.
 */
function callRunner(round: ToolRound): (call: PlannedCall) => Promise<ToolOutcome> {
  const { executor } = round.step.agent;
  if (executor === undefined) return (call) => callTool(round, call);
  return async (call) => {
    try {
      return await round.unlessAborted(executor.execute(() => callTool(round, call)));
    } catch (error) {
      round.fail(error);
      // The round has failed, so this only creates the call's response.
      return callTool(round, call);
    }
  };
}

/**
 * The responses and what the calls have changed; undefined if there is neither, without content if no call has a
 * response.
 */
function answerEvent({ step, eventId }: ToolRound, outcomes: readonly ToolOutcome[]): Event | undefined {
  const [first, ...others] = outcomes;
  // A copy, because a tool that was stopped may still run in the background and change its own object.
  const actions = createEventActions(first?.actions);
  for (const other of others) if (doesSomething(other.actions)) mergeActions(actions, other.actions);
  const parts: Part[] = [];
  let size = 0;
  for (const outcome of outcomes) {
    if (outcome.response === undefined) continue;
    const fits = size + outcome.size <= MAX_ROUND_CHARACTERS;
    if (fits) size += outcome.size;
    const { parts: _, ...withoutMedia } = outcome.response;
    parts.push({ functionResponse: fits ? outcome.response : { ...withoutMedia, response: TOO_LONG.response } });
  }
  // Long-running calls that answer later may have written state or requested credentials.
  if (parts.length === 0)
    return doesSomething(actions) ? step.context.createEvent({ id: eventId, actions }) : undefined;
  // The turn ends with the question; the model is called when it is answered.
  if (asksUser(actions)) actions.skipSummarization = true;
  return step.context.createEvent({ id: eventId, content: { role: "user", parts }, actions });
}

const TOO_LONG = errorResponse(
  `The call ran, but its result does not fit: the results of one round may have ${MAX_ROUND_CHARACTERS} characters. Ask for less at a time.`,
);

/** No caller plans such a call. Nothing else stands between a call and its execution, so it is checked here again. */
const NOT_RECORDED = { error: "This call did not run: no run of this app has recorded it from a model." };

function plan(part: Part, index: number): PlannedCall {
  return index < MAX_CALLS_PER_ANSWER ? { part } : { part, response: TOO_MANY };
}

const TOO_MANY = {
  error: `This call did not run: only the first ${MAX_CALLS_PER_ANSWER} calls of one answer do. Call it again if it is still needed.`,
};

function planAgain({ request, context }: StepContext, event: Event, calls: readonly Part[]): readonly PlannedCall[] {
  const answered = answeredSince(event, context.session.events);
  const open = calls.filter(({ functionCall }) => !answered.has(functionCall?.id));
  return open.map((part) =>
    request.tools.get(part.functionCall?.name ?? "")?.idempotent === true ? { part } : { part, response: UNKNOWN },
  );
}

/** The response of a call that may have run before the process was lost. */
export const UNKNOWN = {
  error: "The run was interrupted while this call ran; whether it took effect is unknown. It was not run again.",
};

function answeredSince(event: Event, events: readonly Event[]): ReadonlySet<string | undefined> {
  const later = events.slice(events.findLastIndex(({ id }) => id === event.id) + 1);
  // A response by a client is not the response of the tool.
  const responses = later.filter(({ author }) => author !== USER_AUTHOR).flatMap(functionResponses);
  return new Set(responses.map(({ id }) => id));
}

/** How many calls of one answer may run at the same time, and which of them have to run alone. */
export function concurrencyOf({ context, request }: StepContext): {
  readonly maxParallel: number;
  readonly isAlone: (call: PlannedCall) => boolean;
} {
  const isSequential = context.runConfig.toolExecutionMode === ToolExecutionMode.SEQUENTIAL;
  return {
    maxParallel: isSequential ? 1 : MAX_PARALLEL_CALLS,
    isAlone: ({ part }) => request.tools.get(part.functionCall?.name ?? "")?.parallelSafe === false,
  };
}
