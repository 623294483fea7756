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
  for (let count = 0; count < maxSteps; count += 1) {
    // Nothing that cannot be undone happens before the store has what led to it.
    await context.persisted();
    context.signal.throwIfAborted();
    const step = { agent, context, request: await buildRequest(agent, context) };

    let answer: Event | undefined;
    for await (const event of callModel(step)) {
      if (event.partial !== true) answer = event;
      yield event;
    }
    if (answer === undefined || functionCalls(answer).length === 0) return;

    await context.persisted();
    const responses = await executeTools(step, answer);
    // All calls answer later: the turn ends here, and a message with an answer goes on with it.
    if (responses === undefined) return;
    yield responses;

    const { transferToAgent: target } = responses.actions;
    if (target !== undefined) {
      yield* transferToAgent(step, target);
      return;
    }
    if (finalResponse(responses) || context.endInvocation) return;
  }
}
