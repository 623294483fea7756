import type { Event } from "../events/event.ts";
import { BaseAgent } from "./base-agent.ts";
import type { InvocationContext } from "./invocation-context.ts";

/** Runs its sub-agents one after another, each seeing what those before it said. */
export class SequentialAgent extends BaseAgent {
  override readonly kind = "sequential";

  protected override async *runAsyncImpl(context: InvocationContext): AsyncGenerator<Event, void, undefined> {
    for (const agent of this.subAgents) yield* agent.runAsync(context);
  }
}
