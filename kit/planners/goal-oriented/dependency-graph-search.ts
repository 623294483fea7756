import { circularDependency, type MissingKey, missingProducers } from "./goal-unreachable.ts";
import type { SearchRequest } from "./search-strategy.ts";

/** A key whose dependencies are visited one after another. */
interface Visit {
  readonly key: string;
  readonly dependencies: readonly string[];
  next: number;
}

/**
 * Topological search: depth first from the goal back to the keys that are present. It visits each key and each
 * dependency once, and without recursion, so that a long chain does not overflow the stack.
 */
export class DependencyGraphSearch {
  /** Names of the agents, each after those whose outputs it reads. Throws `GOAL_UNREACHABLE`. */
  search(request: SearchRequest): readonly string[] {
    // Each of these keys has a producer.
    return this.searchKeys(request).map((key) => request.graph.getProducerAgent(key) ?? "");
  }

  /** The output keys of those agents, in the same order. Throws `GOAL_UNREACHABLE`. */
  searchKeys({ graph, preconditions, goal }: SearchRequest): readonly string[] {
    const ordered: string[] = [];
    const missing: MissingKey[] = [];
    const visited = new Set(preconditions);
    const onPath = new Set<string>();
    const path: Visit[] = [];
    const enter = (key: string): void => {
      if (visited.has(key)) return;
      if (onPath.has(key)) throw circularDependency(circleOf(path, key), goal, graph);
      if (graph.contains(key)) {
        onPath.add(key);
        path.push({ key, dependencies: graph.getDependencies(key), next: 0 });
        return;
      }
      visited.add(key);
      missing.push({ key, neededFor: path.at(-1)?.key });
    };
    enter(goal);
    for (let visit = path.at(-1); visit !== undefined; visit = path.at(-1)) {
      const dependency = visit.dependencies[visit.next];
      visit.next += 1;
      if (dependency !== undefined) {
        enter(dependency);
        continue;
      }
      path.pop();
      visited.add(visit.key);
      ordered.push(visit.key);
    }
    if (missing.length > 0) throw missingProducers(missing, goal, graph);
    return ordered;
  }
}

function circleOf(path: readonly Visit[], key: string): readonly string[] {
  return path.slice(path.findIndex((visit) => visit.key === key)).map((visit) => visit.key);
}
