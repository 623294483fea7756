import { BaseAgent } from "#kit/core/base-agent.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { completedSteps } from "#kit/llm-agent/live/task-completed-tool.ts";
import type { Event } from "../events/event.ts";
import { waitsForAnswer } from "./turn-signals.ts";

/**
 * Runs its sub-agents one after another; each sees the events of those before it. Stops after one that waits for an
 * answer; the answer resumes that agent and then runs those after it. In a live run, a step ends when its model calls
 * `task_completed`, as its instruction demands.
 *
 * @example
 * ```ts
 * import { LlmAgent, SequentialAgent } from "fairlead/kit";
 *
 * const model = "gemini-3.8-flash";
 * const outline = new LlmAgent({ name: "outline", model, instruction: "Make an outline.", outputKey: "outline" });
 * const writer = new LlmAgent({ name: "writer", model, instruction: "Write the story by this outline: {outline}" });
 *
 * export const rootAgent = new SequentialAgent({ name: "story", subAgents: [outline, writer] });
 * ```
 */
export class SequentialAgent extends BaseAgent {
  override readonly kind = "sequential";

  protected override async *runAsyncImpl(context: InvocationContext): AsyncGenerator<Event, void, undefined> {
    const { past, session } = context;
    for (const agent of past?.remaining(this.subAgents) ?? this.subAgents) {
      const since = past === undefined ? session.events.length : 0;
      yield* agent.runAsync(context);
      if (waitsForAnswer(context, since)) return;
    }
  }

  override assertLive(): void {
    for (const agent of this.subAgents) agent.assertLive();
  }

  protected override async *runLiveImpl(context: InvocationContext): AsyncGenerator<Event, void, undefined> {
    const completed = context.isRecovered ? completedSteps(context) : NONE;
    for (const agent of this.subAgents) {
      if (context.liveRequestQueue?.isOver === true) return;
      if (!completed.has(agent.name)) yield* agent.runLive(context);
    }
  }

  protected override resumeAsyncImpl(context: InvocationContext): AsyncIterable<Event> {
    return this.runAsyncImpl(context);
  }
}

const NONE: ReadonlySet<string> = new Set();
