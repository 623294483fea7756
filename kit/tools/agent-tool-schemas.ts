import type { BaseAgent } from "#kit/core/base-agent.ts";
import { isLlmAgent } from "#kit/llm-agent/base/base-llm-agent.ts";
import type { Schema } from "#kit/schema/schema.ts";

/** The agent's input schema: that of the first LLM agent that gets the input. */
export function inputSchemaOf(agent: BaseAgent): Schema | undefined {
  if (isLlmAgent(agent)) return agent.inputSchema;
  const [first] = agent.subAgents;
  return first === undefined ? undefined : inputSchemaOf(first);
}

/** The agent's output schema: that of the last LLM agent. Agents that run in parallel have no last one. */
export function outputSchemaOf(agent: BaseAgent): Schema | undefined {
  if (isLlmAgent(agent)) return agent.outputSchema;
  const last = agent.subAgents.at(-1);
  return last === undefined || agent.kind === "parallel" ? undefined : outputSchemaOf(last);
}
