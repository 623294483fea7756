import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import type { PastTurn } from "#kit/core/context/past-turn.ts";
import type { Part } from "#kit/events/content.ts";
import { type Event, finalResponse, functionCalls, functionResponses, USER_AUTHOR } from "#kit/events/event.ts";
import { isReservedCall } from "#kit/events/reserved-calls.ts";
import type { BaseLlmAgent } from "#kit/llm-agent/base/base-llm-agent.ts";
import { confirmationRequest } from "#kit/llm-agent/confirmation/confirmation-request.ts";
import { asksToMend, problemsLeft } from "#kit/llm-agent/output/check-output.ts";
import type { EndOfTurn } from "#kit/llm-agent/output/end-of-turn.ts";
import { structuredAnswer } from "#kit/llm-agent/output/structured-answer.ts";
import { transferTarget, transferToAgent } from "#kit/llm-agent/transfer/transfer-to-agent.ts";

/** Where the loop of an LLM agent goes on; `steps` are the model's answers before. */
export type ResumePoint =
  | { readonly kind: "model"; readonly steps: number }
  /** The model's answer is there, its calls have no responses. */
  | { readonly kind: "tools"; readonly steps: number; readonly answer: Event }
  /** The answer does not fit the output schema, and the model was not told. */
  | { readonly kind: "mend"; readonly steps: number; readonly problems: readonly string[] }
  /** The model has nothing more to say; these events may be still to come. */
  | { readonly kind: "end"; readonly events: EndOfTurn };

/** Reads from the agent's own events, and the answers of the user to its calls, how far its turn had come. */
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
    if (event.author !== agent.name || event.branch !== branch || !saysSomething(event)) continue;
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
  // The question to the user is not stored, or it would be the newest.
  for (const _ in newest.actions.requestedToolConfirmations)
    return endWith(confirmationRequest(context, newest, calls));
  // A tool has taken the answer by the output schema; the event that says it is still to come.
  const structured = structuredAnswer({ agent, context }, newest);
  if (structured !== undefined) return endWith(structured);
  const point = after(newest, steps, past);
  const problems = point.kind === "end" ? await problemsLeft({ agent, context }, newest) : undefined;
  return problems === undefined ? point : { kind: "mend", steps, problems };
}

function after(newest: Event, steps: number, past: PastTurn): ResumePoint {
  if (newest.author === USER_AUTHOR || asksForMore(newest)) return { kind: "model", steps };
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

/** Not what the model is told in the agent's name: responses, what code gave, what is wrong with an answer. */
function isModelAnswer({ content }: Event): boolean {
  return content?.role !== "user" && content?.parts?.at(-1)?.codeExecutionResult === undefined;
}

/** Code without a result, which is not run again, or words that tell the model to answer anew. */
function asksForMore(event: Event): boolean {
  return event.content?.parts?.at(-1)?.executableCode !== undefined || asksToMend(event);
}

/** Events that only change state, and the notice of how an earlier run ended, say nothing about the turn. */
function saysSomething({ content, errorCode }: Event): boolean {
  return content !== undefined || (errorCode !== undefined && !RUN_ENDS.has(errorCode));
}

const RUN_ENDS: ReadonlySet<string> = new Set(["RUN_CANCELLED", "RUN_INTERRUPTED", "RUN_TIMED_OUT"]);
