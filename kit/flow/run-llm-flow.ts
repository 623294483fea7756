import type { InvocationContext } from "../agents/invocation-context.ts";
import type { LlmAgent } from "../agents/llm-agent.ts";
import { confirmationRequest } from "../confirmation/confirmation-request.ts";
import { type Event, finalResponse, functionCalls } from "../events/event.ts";
import { buildRequest } from "./build-request.ts";
import { callModel } from "./call-model.ts";
import { tellProblems } from "./check-output.ts";
import { executeTools } from "./execute-tools.ts";
import { exploreDataFiles, takesDataFiles } from "./explore-data-files.ts";
import { followUp } from "./process-response.ts";
import { confirmation, mayAnswerConfirmation } from "./processors/confirmation.ts";
import { type ResumePoint, resumePoint } from "./resume-point.ts";
import { structuredAnswer } from "./structured-answer.ts";
import { transferToAgent } from "./transfer-to-agent.ts";

/**
 * The loop of an LLM agent: ask the model, run the tools it calls, tell it what they gave, until it has answered. A turn that was cut off goes
 * on behind its newest event.
 */
export async function* runLlmFlow(agent: LlmAgent, context: InvocationContext): AsyncGenerator<Event, void, undefined> {
  const maxSteps = agent.maxSteps ?? Number.POSITIVE_INFINITY;
  const start = context.past === undefined ? NEW_TURN : await resumePoint(agent, context, context.past);
  if (start.kind === "done") return;
  if (start.kind === "question") {
    const question = confirmationRequest(context, start.answer, start.calls);
    if (question !== undefined) yield question;
    return;
  }
  if (start.kind === "transfer") {
    yield* transferToAgent({ agent, context }, start.target, start.past);
    return;
  }
  if (start.kind === "structured") {
    yield start.answer;
    return;
  }
  if (start.kind === "mend") yield* tellProblems({ agent, context }, start.problems);
  // An answer that is stored, while its calls have no responses.
  let unanswered = start.kind === "tools" ? start.answer : undefined;
  for (let steps = start.steps; unanswered !== undefined || steps < maxSteps; ) {
    if (takesDataFiles(agent)) yield* exploreDataFiles(agent, context);
    // Nothing that cannot be undone happens before the store has what led to it.
    await context.persisted();
    context.signal.throwIfAborted();
    const isLast = steps + 1 >= maxSteps;
    const step = { agent, context, request: await buildRequest(agent, context), isLast };

    let answer = unanswered;
    let responses = answer === undefined && mayAnswerConfirmation(step) ? yield* confirmation(step) : undefined;
    if (responses === undefined) {
      if (answer === undefined) {
        steps += 1;
        for await (const event of callModel(step)) {
          if (event.partial !== true) answer = event;
          yield event;
        }
        const next = answer === undefined ? undefined : followUp(step, answer);
        if (next !== undefined) {
          yield* next;
          continue;
        }
      }
      if (answer === undefined || functionCalls(answer).length === 0) return;

      await context.persisted();
      responses = yield* executeTools(step, answer, { resumed: unanswered !== undefined });
      unanswered = undefined;
      // All calls answer later: the turn ends here, and a message with an answer goes on with it.
      if (responses === undefined) return;
    }

    const structured = structuredAnswer(step, responses);
    if (structured !== undefined) {
      yield structured;
      return;
    }
    const { transferToAgent: target } = responses.actions;
    if (target !== undefined) {
      yield* transferToAgent(step, target);
      return;
    }
    if (finalResponse(responses) || context.endInvocation) return;
  }
}

const NEW_TURN: ResumePoint = { kind: "model", steps: 0 };
