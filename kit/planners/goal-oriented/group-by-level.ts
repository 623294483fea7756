import type { GoalOrientedSearchGraph } from "./goal-oriented-search-graph.ts";
import type { AgentGroups } from "./search-strategy.ts";

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
