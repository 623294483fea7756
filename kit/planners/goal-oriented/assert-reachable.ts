import { PlatformError } from "#kit/errors/platform-error.ts";
import { suggestion } from "#kit/schema/suggest.ts";
import { DependencyGraphSearch } from "./dependency-graph-search.ts";
import type { GoalOrientedSearchGraph } from "./goal-oriented-search-graph.ts";

/**
 * Throws `INVALID_FIELD` if no agent writes the goal, or if agents that it needs depend on each other in a circle. Keys
 * that no agent writes count as set, unless `preconditions` lists the keys that are.
 */
export function assertReachable(
  graph: GoalOrientedSearchGraph,
  goal: string,
  preconditions: readonly string[] | undefined,
): void {
  const given = new Set(preconditions);
  if (!graph.contains(goal) && !given.has(goal)) {
    const keys = [...graph.producers()].map(([key]) => key);
    throw invalid("goal", `no agent writes the goal "${goal}"${suggestion(goal, keys) || ": add one to metadata."}`);
  }
  if (preconditions === undefined) for (const key of graph.externalKeys()) given.add(key);
  try {
    new DependencyGraphSearch().search({ graph, goal, preconditions: given });
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    throw invalid("metadata", `${error.message} A key that is set before each turn can be listed in preconditions.`);
  }
}

function invalid(field: string, problem: string): PlatformError {
  return new PlatformError("INVALID_FIELD", `new GoalOrientedPlanner: ${problem}`, { details: { field } });
}
