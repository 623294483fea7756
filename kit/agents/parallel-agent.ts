import { BaseAgent } from "#kit/core/base-agent.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import type { Event } from "../events/event.ts";
import { runInParallel } from "./run-in-parallel.ts";

/**
 * Runs its sub-agents at the same time, each on a branch of its own: they do not see each other's events, and agents
 * after them see all. State is shared; of two writes to one key the later one is kept. The first failure, or an
 * escalation by one of the sub-agents themselves, ends the others; events until then are kept.
 *
 * @example
 * ```ts
 * import { LlmAgent, ParallelAgent } from "fairlead/kit";
 *
 * const model = "gemini-3.8-flash";
 * const pros = new LlmAgent({ name: "pros", model, instruction: "Name what speaks for it.", outputKey: "pros" });
 * const cons = new LlmAgent({ name: "cons", model, instruction: "Name what speaks against it.", outputKey: "cons" });
 *
 * export const rootAgent = new ParallelAgent({ name: "sides", subAgents: [pros, cons] });
 * ```
 */
export class ParallelAgent extends BaseAgent {
  override readonly kind = "parallel";

  protected override async *runAsyncImpl(context: InvocationContext): AsyncGenerator<Event, void, undefined> {
    if (context.past?.events.some((event) => this.#isEndedBy(event)) === true) return;
    for await (const event of runInParallel(this.subAgents, context)) {
      yield event;
      if (this.#isEndedBy(event)) return;
    }
  }

  protected override resumeAsyncImpl(context: InvocationContext): AsyncIterable<Event> {
    return this.runAsyncImpl(context);
  }

  #isEndedBy(event: Event): boolean {
    return event.actions.escalate === true && this.subAgents.some(({ name }) => name === event.author);
  }
}
