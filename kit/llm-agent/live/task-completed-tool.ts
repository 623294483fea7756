import { BaseTool } from "#kit/core/base-tool.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { type Event, functionResponses } from "#kit/events/event.ts";
import type { StepContext } from "#kit/llm-agent/base/step-context.ts";
import type { FunctionDeclaration } from "#kit/models/llm-request.ts";

const NAME = "task_completed";

const DECLARATION: FunctionDeclaration = {
  name: NAME,
  description: "Signals that the agent has completed the user's question or task.",
};

/** Names as ADK has them, so that prompts which mention the function work. */
const INSTRUCTION = `If you have finished the user's request according to your description, call the ${NAME} function, so that the next agent can take over. When you call it, generate no text other than the call.`;

class TaskCompletedTool extends BaseTool {
  constructor() {
    super({ name: NAME, description: DECLARATION.description ?? "", idempotent: true });
  }

  override getDeclaration(): FunctionDeclaration {
    return DECLARATION;
  }

  override async runAsync(): Promise<string> {
    return "Task completion signaled.";
  }
}

/** Declares the function that ends a step of a sequence: a live model does not end its side by itself. */
export function declareTaskCompleted({ agent, request }: Pick<StepContext, "agent" | "request">): void {
  if (agent.parentAgent?.kind !== "sequential") return;
  request.appendTools(new TaskCompletedTool());
  request.appendInstructions(INSTRUCTION);
}

/** Whether the event answers the call that ends a step of a sequence. */
export function completesTask(answer: Pick<Event, "content">): boolean {
  return functionResponses(answer).some(({ name }) => name === NAME);
}

/** The agents that have completed their step in this invocation, for a runner that recovers it. */
export function completedSteps({ session, invocationId }: InvocationContext): ReadonlySet<string> {
  const completing = session.events.filter((event) => event.invocationId === invocationId && completesTask(event));
  return new Set(completing.map(({ author }) => author));
}
