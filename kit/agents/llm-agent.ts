import type { Event } from "../events/event.ts";
import { runLiveFlow } from "../flow/run-live-flow.ts";
import { runLlmFlow } from "../flow/run-llm-flow.ts";
import { BaseLlmAgent } from "./base-llm-agent.ts";
import type { InvocationContext } from "./invocation-context.ts";

/** An agent whose work is done by a model that may call tools and hand over to other agents. */
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
