import { DependencyGraphSearch } from "./dependency-graph-search.ts";
import { type AgentGroups, groupByLevel, type SearchRequest, type SearchStrategy } from "./search-strategy.ts";

/**
 * Chains backward from the goal: dependency order, with agents that do not need each other's outputs in one group. The
 * time grows linearly with the agents and their inputs.
 */
export class DfsSearchStrategy implements SearchStrategy {
  readonly #search = new DependencyGraphSearch();

  searchGrouped(request: SearchRequest): AgentGroups {
    const { graph } = request;
    const levels = new Map<string, number>();
    for (const key of this.#search.searchKeys(request)) {
      let level = 0;
      // Keys that are present have no level.
      for (const input of graph.getDependencies(key)) level = Math.max(level, (levels.get(input) ?? -1) + 1);
      levels.set(key, level);
    }
    return groupByLevel(levels, graph);
  }
}
