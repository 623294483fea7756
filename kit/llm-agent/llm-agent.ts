import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import type { Event } from "#kit/events/event.ts";
import { BaseLlmAgent } from "./base/base-llm-agent.ts";
import { runLiveFlow } from "./run-live-flow.ts";
import { runLlmFlow } from "./run-llm-flow.ts";

/** An agent that runs a model, which may call tools and transfer to other agents. */
export class LlmAgent extends BaseLlmAgent {
  protected override runAsyncImpl(context: InvocationContext): AsyncIterable<Event> {
    return runLlmFlow(this, context);
  }

  protected override resumeAsyncImpl(context: InvocationContext): AsyncIterable<Event> {
    return runLlmFlow(this, context);
  }

  protected override runLiveImpl(context: InvocationContext): AsyncIterable<Event> {
    return runLiveFlow(this, context);
  }
}
