import type { AgentNode } from "#kit/core/context/agent-node.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { suggestion } from "#kit/schema/suggest.ts";

/** What an agent reads from the session's state and writes to it, for planners that order agents by their data. */
export interface AgentMetadata {
  readonly agentName: string;
  /** State keys that the agent needs before it runs. */
  readonly inputKeys: readonly string[];
  /** The state key that the agent writes. */
  readonly outputKey: string;
}

/**
 * Throws `INVALID_FIELD` for an entry with a missing or wrong member (plain JavaScript can pass anything) and for an agent
 * that is described twice. `field` names the list in the message.
 */
export function checkAgentMetadata(metadata: readonly AgentMetadata[], field: string): void {
  if (!Array.isArray(metadata)) throw invalid(field, `give a list of { agentName, inputKeys, outputKey }.`);
  const agents = new Map<string, string>();
  metadata.forEach((entry: unknown, index) => {
    const at = `${field}[${index}]`;
    if (!isAgentMetadata(entry))
      throw invalid(at, `give { agentName, inputKeys, outputKey }: texts that are not empty, and a list of them.`);
    const { agentName, outputKey } = entry;
    const other = agents.get(agentName);
    if (other !== undefined)
      throw invalid(
        at,
        `agent "${agentName}" is described twice, with the output keys "${other}" and "${outputKey}": an agent has one.`,
      );
    agents.set(agentName, outputKey);
  });
}

/** Throws `INVALID_FIELD` for two agents that write one key. */
export function checkProducers(metadata: readonly AgentMetadata[], field: string): void {
  const producers = new Map<string, string>();
  metadata.forEach(({ agentName, outputKey }, index) => {
    const producer = producers.get(outputKey);
    if (producer !== undefined)
      throw invalid(
        `${field}[${index}]`,
        `agents "${producer}" and "${agentName}" both write the key "${outputKey}": give each an output key of its own.`,
      );
    producers.set(outputKey, agentName);
  });
}

/** Throws `INVALID_FIELD` if the metadata names an agent that is not among the sub-agents. */
export function checkKnownAgents(metadata: readonly AgentMetadata[], availableAgents: readonly AgentNode[]): void {
  const names = availableAgents.map(({ name }) => name);
  const known = new Set(names);
  metadata.forEach(({ agentName }, index) => {
    if (known.has(agentName)) return;
    const hint = suggestion(agentName, names) || `: the sub-agents are ${names.map((name) => `"${name}"`).join(", ")}.`;
    throw invalid(`metadata[${index}]`, `no sub-agent is named "${agentName}"${hint}`);
  });
}

function isAgentMetadata(entry: unknown): entry is AgentMetadata {
  if (typeof entry !== "object" || entry === null) return false;
  const inputKeys: unknown = Reflect.get(entry, "inputKeys");
  return (
    isKey(Reflect.get(entry, "agentName")) &&
    isKey(Reflect.get(entry, "outputKey")) &&
    Array.isArray(inputKeys) &&
    inputKeys.every(isKey)
  );
}

function isKey(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function invalid(field: string, problem: string): PlatformError {
  return new PlatformError("INVALID_FIELD", `${field}: ${problem}`, { details: { field } });
}
