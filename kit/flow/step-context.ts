import type { InvocationContext } from "../agents/invocation-context.ts";
import type { LlmAgent } from "../agents/llm-agent.ts";
import type { ToolLlmRequest } from "../tools/base-tool.ts";

/** One step of the loop: one request to the model and what follows from its answer. */
export interface StepContext {
  readonly agent: LlmAgent;
  readonly context: InvocationContext;
  readonly request: ToolLlmRequest;
}

/** Puts its share into the request. */
export type RequestProcessor = (step: StepContext) => void | Promise<void>;
