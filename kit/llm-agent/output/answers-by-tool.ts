import type { BaseLlmAgent } from "#kit/llm-agent/base/base-llm-agent.ts";
import { transferTargets } from "#kit/llm-agent/transfer/transfer-targets.ts";

/**
 * Whether the agent's structured answer is given by a tool call: its model cannot take a schema and tools in one
 * request.
 */
export function answersByTool(agent: BaseLlmAgent): boolean {
  return agent.outputSchema !== undefined && usesTools(agent) && !agent.resolveModel().supportsOutputSchemaWithTools;
}

/** What runs inside the model counts too: such a model does not answer by a schema beside it either. */
function usesTools(agent: BaseLlmAgent): boolean {
  return agent.tools.length > 0 || agent.codeExecutor?.kind === "model" || transferTargets(agent).length > 0;
}
