import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import type { PastTurn } from "#kit/core/context/past-turn.ts";
import type { Part } from "#kit/events/content.ts";
import { type Event, finalResponse, functionCalls, functionResponses, USER_AUTHOR } from "#kit/events/event.ts";
import { isReservedCall } from "#kit/events/reserved-calls.ts";
import type { BaseLlmAgent } from "#kit/llm-agent/base/base-llm-agent.ts";
import { problemsLeft, requestsFix } from "#kit/llm-agent/output/check-output.ts";
import { type EndOfTurn, structuredAnswer } from "#kit/llm-agent/output/end-of-turn.ts";
import { asksUser, questionRequest } from "#kit/llm-agent/questions/question-request.ts";
import { transferTarget, transferToAgent } from "#kit/llm-agent/transfer/transfer-to-agent.ts";

/** Where the loop of an LLM agent resumes; `steps` is the number of the model's answers before. */
export type ResumePoint =
  | { readonly kind: "model"; readonly steps: number }
  /** The model's answer is stored; its calls have no responses. */
  | { readonly kind: "tools"; readonly steps: number; readonly answer: Event }
  /** The answer does not fit the output schema, and the model was not asked to fix it yet. */
  | { readonly kind: "fix"; readonly steps: number; readonly problems: readonly string[] }
  /** The model has answered; these events end the turn. */
  | { readonly kind: "end"; readonly events: EndOfTurn };

/** Finds out from the agent's own events, and the user's answers to its calls, where its turn stopped. */
export async function resumePoint(
  agent: BaseLlmAgent,
  context: InvocationContext,
  past: PastTurn,
): Promise<ResumePoint> {
  const { branch } = context;
  const calls: { readonly part: Part }[] = [];
  let newest: Event | undefined;
  let steps = 0;
  for (const [index, event] of past.events.entries()) {
    if (event.author === USER_AUTHOR) {
      const answered = new Set(functionResponses(event).map(({ id }) => id));
      if (calls.some(({ part }) => answered.has(part.functionCall?.id))) newest = event;
      continue;
    }
    if (event.author !== agent.name || event.branch !== branch || !isStepOfTurn(event)) continue;
    const { transferToAgent: toAgent } = event.actions;
    if (toAgent !== undefined) {
      const target = transferTarget(agent, toAgent);
      return { kind: "end", events: transferToAgent({ agent, context }, toAgent, past.from(index + 1, target)) };
    }
    for (const part of event.content?.parts ?? []) if (part.functionCall !== undefined) calls.push({ part });
    if (isModelAnswer(event)) steps += 1;
    newest = event;
  }
  if (newest === undefined) return { kind: "model", steps };
  // The question to the user is not stored: it would be the newest event.
  if (asksUser(newest.actions)) return endWith(questionRequest(context, newest, calls));
  // A tool has received the structured answer; the event of the answer is not stored yet.
  const structured = structuredAnswer({ agent, context }, newest);
  if (structured !== undefined) return endWith(structured);
  const point = after(newest, steps, past);
  const problems = point.kind === "end" ? await problemsLeft({ agent, context }, newest) : undefined;
  return problems === undefined ? point : { kind: "fix", steps, problems };
}

function after(newest: Event, steps: number, past: PastTurn): ResumePoint {
  if (newest.author === USER_AUTHOR || needsModel(newest)) return { kind: "model", steps };
  const calls = functionCalls(newest);
  if (calls.length === 0) return finalResponse(newest) ? endWith() : { kind: "model", steps };
  const waits = calls.every(
    ({ id, name }) =>
      isReservedCall(name) ||
      (id !== undefined && newest.longRunningToolIds?.includes(id) === true && !past.isInterrupted(newest)),
  );
  return waits ? endWith() : { kind: "tools", steps, answer: newest };
}

function endWith(event?: Event): ResumePoint {
  return { kind: "end", events: event === undefined ? [] : [event] };
}

/**
 * Whether the model wrote the event. Responses of tools, results of code and requests to fix an answer have the agent
 * as author too.
 */
function isModelAnswer({ content }: Event): boolean {
  return content?.role !== "user" && content?.parts?.at(-1)?.codeExecutionResult === undefined;
}

/**
 * Whether the model has to be called next: after code without a result, which is not run again, and after a request to
 * fix an answer.
 */
function needsModel(event: Event): boolean {
  return event.content?.parts?.at(-1)?.executableCode !== undefined || requestsFix(event);
}

/** Whether the event is a step of the turn: not if it only changes state, or only reports how an earlier run ended. */
function isStepOfTurn({ content, errorCode }: Event): boolean {
  return content !== undefined || (errorCode !== undefined && !RUN_ENDS.has(errorCode));
}

const RUN_ENDS: ReadonlySet<string> = new Set(["RUN_CANCELLED", "RUN_INTERRUPTED", "RUN_TIMED_OUT"]);
