import { answerKeyOf } from "#kit/credentials/credential-key.ts";
import type { PlatformError } from "#kit/errors/platform-error.ts";
import type { FunctionResponse } from "#kit/events/content.ts";
import { type Event, functionResponses, USER_AUTHOR } from "#kit/events/event.ts";
import { recordedEvents } from "#kit/events/recorded-events.ts";
import { numbered, withoutRewound } from "#kit/history/fold-history.ts";
import type { StepContext } from "#kit/llm-agent/base/step-context.ts";
import { type CheckedAnswer, checkAnswer } from "#kit/llm-agent/questions/check-answer.ts";
import { rejection } from "#kit/llm-agent/questions/rejection.ts";
import type { PlannedCall } from "#kit/llm-agent/tool-calls/call-tool.ts";
import { runCalls, UNKNOWN } from "#kit/llm-agent/tool-calls/execute-tools.ts";
import { inTenant } from "#kit/names/tenant.ts";
import { isJsonObject } from "#kit/platform/json.ts";

/**
 * Whether the newest message contains answers that the agent may have to act on. Called before each step, so it must be
 * cheap.
 */
export function mayAnswerQuestion({ agent, context }: StepContext): boolean {
  // An agent that serves as a tool gets its input from its caller, not from the user.
  return context.toolInput === undefined && newestAnswer(context.session.events, agent.name) !== -1;
}

/**
 * Handles the user's answers to questions of this agent, before its model is called. A call runs if the user has
 * confirmed it or has given the data that its tool asked for. A rejected call runs only if its tool requested the
 * confirmation itself, because the tool then reads the rejection; other rejected calls get an error response. Refused
 * answers are reported as events; if there are no others, the first refusal is thrown. Returns the event with the
 * responses; undefined if there was nothing to act on.
 */
export async function* answeredQuestions(step: StepContext): AsyncGenerator<Event, Event | undefined, undefined> {
  const { session, past } = step.context;
  const at = newestAnswer(session.events, step.agent.name);
  const message = session.events[at];
  const before = session.events.slice(0, at);
  if (message === undefined) return undefined;
  const isInterrupted = past?.isInterrupted(message) === true;
  const planned: PlannedCall[] = [];
  const refusals: PlatformError[] = [];
  for (const checked of checkAnswers(step, before, functionResponses(message))) {
    if (checked.kind === "refused") {
      refusals.push(checked.error);
      await forgetAnswer(step, checked.questionId);
    } else if (checked.kind !== "foreign") planned.push(plan(step, checked, isInterrupted));
  }
  planned.push(...sameCredential(recordedEvents(before), planned));
  const [first] = refusals;
  if (planned.length === 0 && first !== undefined) throw first;
  for (const { reason, message: errorMessage } of refusals)
    yield step.context.createEvent({ errorCode: reason, errorMessage });
  await step.context.persisted();
  return yield* runCalls(step, planned);
}

/** Index of the newest message, if it holds answers that this agent has not acted on; -1 otherwise. */
function newestAnswer(events: readonly Event[], agentName: string): number {
  const index = events.findLastIndex(
    ({ author, content, errorCode }) =>
      author === USER_AUTHOR || (author === agentName && (content !== undefined || errorCode !== undefined)),
  );
  const newest = events[index];
  if (newest?.author !== USER_AUTHOR || newest.outside === true) return -1;
  return functionResponses(newest).length > 0 ? index : -1;
}

function* checkAnswers(
  { agent }: StepContext,
  before: readonly Event[],
  responses: readonly FunctionResponse[],
): Generator<CheckedAnswer> {
  const events = withoutRewound(numbered({ events: before, firstSequence: 1 })).map(({ event }) => event);
  const hasAgent = (name: string): boolean => agent.rootAgent.findAgent(name) !== undefined;
  const seen = new Set<string | undefined>();
  for (const response of responses) {
    // Only the first of two answers to one question is used.
    if (seen.has(response.id)) continue;
    seen.add(response.id);
    yield checkAnswer({ events, agentName: agent.name, hasAgent }, response);
  }
}

/**
 * Other calls of the same answer that wait for the credential that the user has given. They need no answers of their own:
 * clients ask for a credential once.
 */
function sameCredential(before: readonly Event[], planned: readonly PlannedCall[]): readonly PlannedCall[] {
  const taken = new Set(planned.map(({ part }) => part.functionCall?.id));
  const more: PlannedCall[] = [];
  for (const { part, answer } of planned) {
    if (answer?.kind !== "credential") continue;
    const { credentialKey } = answer.credential;
    const made = before.findLast(({ content }) => content?.parts?.includes(part) === true);
    const asked = before.findLast(({ actions }) =>
      Object.hasOwn(actions.requestedAuthConfigs, part.functionCall?.id ?? ""),
    );
    for (const other of made?.content?.parts ?? []) {
      const { id = "" } = other.functionCall ?? {};
      const request = asked?.actions.requestedAuthConfigs[id];
      if (!isJsonObject(request) || request["credentialKey"] !== credentialKey || taken.has(id)) continue;
      taken.add(id);
      more.push({ part: other, answer });
    }
  }
  return more;
}

/** Deletes the credential that the user gave with an answer that is not used. */
async function forgetAnswer({ context }: StepContext, questionId: string | undefined): Promise<void> {
  const { credentialService, session } = context;
  if (credentialService === undefined || questionId === undefined) return;
  const { tenantId, appName, userId } = session;
  await credentialService.deleteCredential({ ...inTenant(tenantId), appName, userId }, answerKeyOf(questionId));
}

function plan(
  { request }: StepContext,
  answer: Extract<CheckedAnswer, { kind: "decided" | "lost" }>,
  isInterrupted: boolean,
): PlannedCall {
  const { part } = answer;
  if (answer.kind === "lost") return { part, response: UNKNOWN };
  const { answer: given } = answer;
  const tool = request.tools.get(part.functionCall?.name ?? "");
  // Only a tool that asked by itself answers a rejection itself.
  if (given.kind === "confirmation" && !given.confirmation.confirmed && tool?.declaresConfirmation !== false)
    return { part, response: rejection(given.confirmation) };
  return isInterrupted && tool?.idempotent !== true ? { part, response: UNKNOWN } : { part, answer: given };
}
