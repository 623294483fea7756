import type { BaseTool } from "#kit/core/base-tool.ts";
import type { StepContext } from "#kit/llm-agent/base/step-context.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { startTurn } from "#kit/llm-agent/output/check-output.ts";
import { LlmRequest } from "#kit/models/llm-request.ts";
import { createInvocation, type InvocationOptions } from "./invocation.ts";

interface StepOptions extends InvocationOptions {
  readonly agent?: LlmAgent;
  readonly tools?: readonly BaseTool[];
}

/** One step of an agent's loop outside any run, with an empty request except for the tools. */
export function createStep({
  agent = new LlmAgent({ name: "helper" }),
  tools = [],
  ...options
}: StepOptions = {}): StepContext {
  const request = new LlmRequest<BaseTool>({ model: "scripted", config: {} });
  request.appendTools(...tools);
  const context = createInvocation({ agent, ...options });
  return { agent, context, request, turn: startTurn({ agent, context }) };
}
