import type { BaseLlmAgent } from "#kit/llm-agent/base/base-llm-agent.ts";
import { transferTargets } from "#kit/llm-agent/transfer/transfer-targets.ts";

/**
 * Whether the agent gives its structured answer by a tool call, because its model does not support a schema and tools
 * in one request.
 */
export function answersByTool(agent: BaseLlmAgent): boolean {
  return agent.outputSchema !== undefined && usesTools(agent) && !agent.resolveModel().supportsOutputSchemaWithTools;
}

/** Tools that run inside the model count too: with them such a model supports no schema either. */
function usesTools(agent: BaseLlmAgent): boolean {
  return agent.tools.length > 0 || agent.codeExecutor?.kind === "model" || transferTargets(agent).length > 0;
}
