import type { BaseAgent } from "#kit/core/base-agent.ts";
import { InstructionTemplates } from "#kit/core/instruction.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { type BaseLlmAgent, isLlmAgent } from "#kit/llm-agent/base/base-llm-agent.ts";
import { requiredKeysOf } from "#kit/llm-agent/request/read-placeholder.ts";
import type { AgentMetadata } from "./agent-metadata.ts";

/**
 * Reads an LLM agent's metadata from its options: it writes its `outputKey`, and reads the state keys that its
 * instruction names in braces. `{key?}` is not an input, because the agent can run without it; nor are artifacts and
 * the root's global instruction. Throws `INVALID_FIELD` for an agent whose options do not show both: one of another
 * kind, without an `outputKey`, or with a function as instruction.
 */
export function deriveAgentMetadata(agent: BaseAgent): AgentMetadata {
  if (!isLlmAgent(agent))
    throw undeclared(agent, `its kind is "${agent.kind}", and only an LLM agent's can be derived`);
  if (agent.outputKey === undefined || agent.outputKey === "") throw undeclared(agent, "it has no outputKey");
  return { agentName: agent.name, inputKeys: inputKeysOf(agent), outputKey: agent.outputKey };
}

function inputKeysOf(agent: BaseLlmAgent): readonly string[] {
  const { instruction, instructionTemplates } = agent;
  if (instruction === undefined || instructionTemplates === InstructionTemplates.OFF) return [];
  if (instruction.kind === "static") return requiredKeysOf(instruction.text);
  throw undeclared(agent, "its instruction is a function, which shows no keys");
}

function undeclared({ name }: BaseAgent, cause: string): PlatformError {
  return new PlatformError(
    "INVALID_FIELD",
    `The metadata of agent "${name}" cannot be derived: ${cause}. Declare it: { agentName: "${name}", inputKeys: [], outputKey: "…" }.`,
    { details: { field: "metadata" } },
  );
}
