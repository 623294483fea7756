import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { type Event, functionCalls } from "#kit/events/event.ts";
import type { BaseLlmAgent } from "./base/base-llm-agent.ts";
import type { StepContext } from "./base/step-context.ts";
import { exploreDataFiles, takesDataFiles } from "./code-execution/explore-data-files.ts";
import { callModel } from "./model-call/call-model.ts";
import { followUp } from "./model-call/process-response.ts";
import { requestFix, startTurn } from "./output/check-output.ts";
import { endOfTurn } from "./output/end-of-turn.ts";
import { buildRequest } from "./request/build-request.ts";
import { answeredQuestions, mayAnswerQuestion } from "./resume/answered-questions.ts";
import { type ResumePoint, resumePoint } from "./resume/resume-point.ts";
import { executeTools } from "./tool-calls/execute-tools.ts";

/**
 * The loop of an LLM agent. Each step builds a request, calls the model and runs the tools that it calls; the responses
 * are part of the next request. It ends with an answer without calls, with a transfer, when all calls answer later, or
 * after `maxSteps`. A turn with stored events resumes after its newest event.
 */
export async function* runLlmFlow(
  agent: BaseLlmAgent,
  context: InvocationContext,
): AsyncGenerator<Event, void, undefined> {
  const start = context.past === undefined ? NEW_TURN : await resumePoint(agent, context, context.past);
  if (start.kind === "end") {
    yield* start.events;
    return;
  }
  const turn = startTurn({ agent, context });
  if (start.kind === "fix") yield* requestFix({ agent, context, turn }, start.problems);
  const maxSteps = agent.maxSteps ?? Number.POSITIVE_INFINITY;
  let { steps } = start;
  // A stored answer whose calls have no responses.
  let unanswered = start.kind === "tools" ? start.answer : undefined;

  while (unanswered !== undefined || steps < maxSteps) {
    if (takesDataFiles(agent)) yield* exploreDataFiles(agent, context);
    // Events are stored before a step that cannot be undone. A model may be called again, so that the sync of a disk
    // and the call may be in progress at the same time.
    await (unanswered === undefined ? context.recorded() : context.persisted());
    context.signal.throwIfAborted();
    const request = await buildRequest(agent, context);
    const step: StepContext = { agent, context, request, turn, isLast: steps + 1 >= maxSteps };

    let responses: Event | undefined;
    if (unanswered !== undefined) {
      responses = yield* executeTools(step, unanswered, { resumed: true });
      if (responses === undefined) return;
      unanswered = undefined;
    } else if (mayAnswerQuestion(step)) responses = yield* answeredQuestions(step);

    if (responses === undefined) {
      steps += 1;
      const answer = yield* callModel(step);
      const more = followUp(step, answer);
      if (more !== undefined) {
        yield* more;
        continue;
      }
      if (functionCalls(answer).length === 0) return;
      await context.persisted();
      responses = yield* executeTools(step, answer);
      // All calls answer later: the turn ends here, and a message with an answer resumes it.
      if (responses === undefined) return;
    }

    const end = endOfTurn(step, responses);
    if (end !== undefined) {
      yield* end;
      return;
    }
  }
}

const NEW_TURN: ResumePoint = { kind: "model", steps: 0 };
