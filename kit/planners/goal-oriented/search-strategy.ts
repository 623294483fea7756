import type { GoalOrientedSearchGraph } from "./goal-oriented-search-graph.ts";

/** The input of a search. */
export interface SearchRequest {
  readonly graph: GoalOrientedSearchGraph;
  /** State keys that are present before the plan. */
  readonly preconditions: ReadonlySet<string>;
  /** The state key that the plan has to produce. */
  readonly goal: string;
}

/** Names of agents: groups run one after another, the agents of a group at the same time. */
export type AgentGroups = readonly (readonly string[])[];

/**
 * Finds the agents that produce a goal. The plan has only agents that the goal needs, none whose output is present
 * already, and no agent before those whose outputs it reads. It is empty if the goal is present.
 */
export interface SearchStrategy {
  /** Throws `GOAL_UNREACHABLE` if no order of the graph's agents produces the goal. */
  searchGrouped(request: SearchRequest): AgentGroups;
}

/**
 * The producers of the keys, one group for each level; level 0 runs first. Within a group the agents have the order in
 * which they were given to the graph, so that equal plans read alike whatever search has found them.
 */
export function groupByLevel(levels: ReadonlyMap<string, number>, graph: GoalOrientedSearchGraph): AgentGroups {
  const groups: string[][] = [];
  for (const [key, agentName] of graph.producers()) {
    const level = levels.get(key);
    if (level === undefined) continue;
    while (groups.length <= level) groups.push([]);
    groups[level]?.push(agentName);
  }
  return groups;
}
