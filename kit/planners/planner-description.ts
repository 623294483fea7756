import type { AgentMetadata } from "./agent-metadata.ts";

/** How a planner orders agents, as far as that is known before a turn; for listings and drawings. */
export interface PlannerDescription {
  /** The planner's class, such as `LoopPlanner`. */
  readonly name: string;
  readonly links: readonly AgentLink[];
}

/** An agent that runs after another one. */
export interface AgentLink {
  readonly from: string;
  readonly to: string;
  /** The state key that the first one writes and the second one reads. */
  readonly key?: string;
}

/** A link from each agent to the one after it. */
export function linksInOrder(agents: readonly { readonly name: string }[]): readonly AgentLink[] {
  return agents.slice(1).map(({ name: to }, index) => ({ from: agents[index]?.name ?? to, to }));
}

/** A link for each key that one of the agents writes and another one reads. */
export function linksByKeys(metadata: readonly AgentMetadata[]): readonly AgentLink[] {
  const writers = Map.groupBy(metadata, ({ outputKey }) => outputKey);
  return metadata.flatMap(({ agentName: to, inputKeys }) =>
    [...new Set(inputKeys)].flatMap((key) =>
      (writers.get(key) ?? [])
        .filter(({ agentName }) => agentName !== to)
        .map(({ agentName: from }) => ({ from, to, key })),
    ),
  );
}
