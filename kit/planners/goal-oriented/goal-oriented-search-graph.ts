import { type AgentMetadata, checkAgentMetadata, checkProducers } from "#kit/planners/agent-metadata.ts";

/** Which agent writes each state key, and which keys that agent reads. Keys that no agent writes are not in it. */
export class GoalOrientedSearchGraph {
  readonly #byOutputKey: ReadonlyMap<string, AgentMetadata>;

  /** Throws `INVALID_FIELD` if two agents write one key, or one agent is described twice. */
  constructor(metadata: readonly AgentMetadata[]) {
    checkAgentMetadata(metadata, "metadata");
    checkProducers(metadata, "metadata");
    this.#byOutputKey = new Map(
      metadata.map(({ agentName, inputKeys, outputKey }) => [
        outputKey,
        { agentName, outputKey, inputKeys: [...new Set(inputKeys)] },
      ]),
    );
  }

  /** Whether an agent writes the key. */
  contains(outputKey: string): boolean {
    return this.#byOutputKey.has(outputKey);
  }

  /** The keys that the key's producer reads, each once; empty for a key that no agent writes. */
  getDependencies(outputKey: string): readonly string[] {
    return this.#byOutputKey.get(outputKey)?.inputKeys ?? [];
  }

  /** The name of the agent that writes the key; undefined if there is none. */
  getProducerAgent(outputKey: string): string | undefined {
    return this.#byOutputKey.get(outputKey)?.agentName;
  }

  /** Each key that an agent writes with the agent's name, in the order in which the agents were given. */
  *producers(): Iterable<readonly [outputKey: string, agentName: string]> {
    for (const [outputKey, { agentName }] of this.#byOutputKey) yield [outputKey, agentName];
  }

  /** The keys that agents read and none writes. */
  externalKeys(): ReadonlySet<string> {
    const inputs = [...this.#byOutputKey.values()].flatMap(({ inputKeys }) => inputKeys);
    return new Set(inputs.filter((key) => !this.contains(key)));
  }
}
