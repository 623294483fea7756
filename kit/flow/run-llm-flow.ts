import type { InvocationContext } from "../agents/invocation-context.ts";
import type { LlmAgent } from "../agents/llm-agent.ts";
import { type Event, finalResponse, functionCalls } from "../events/event.ts";
import { buildRequest } from "./build-request.ts";
import { callModel } from "./call-model.ts";
import { executeTools } from "./execute-tools.ts";
import { transferToAgent } from "./transfer-to-agent.ts";

/** The loop of an LLM agent: ask the model, run the tools it calls, tell it what they gave, until it has answered. */
export async function* runLlmFlow(agent: LlmAgent, context: InvocationContext): AsyncGenerator<Event, void, undefined> {
  const maxSteps = agent.maxSteps ?? Number.POSITIVE_INFINITY;
  for (let step = 0; step < maxSteps; step += 1) {
    const last = yield* runStep(agent, context);
    if (last === undefined || finalResponse(last) || context.endInvocation) return;
  }
}

/** One request to the model and what follows from it. Gives the step's last complete event; undefined ends the loop. */
async function* runStep(
  agent: LlmAgent,
  context: InvocationContext,
): AsyncGenerator<Event, Event | undefined, undefined> {
  // Nothing that cannot be undone happens before the store has what led to it.
  await context.persisted();
  context.signal.throwIfAborted();
  const request = await buildRequest(agent, context);
  const step = { agent, context, request };

  let answer: Event | undefined;
  for await (const event of callModel(step)) {
    if (event.partial !== true) answer = event;
    yield event;
  }
  if (answer === undefined || functionCalls(answer).length === 0) return undefined;

  await context.persisted();
  const responses = await executeTools(step, answer);
  if (responses === undefined) return answer;
  yield responses;

  const { transferToAgent: target } = responses.actions;
  if (target === undefined) return responses;
  yield* transferToAgent(step, target);
  return undefined;
}
