import { AStarSearchStrategy } from "#kit/planners/goal-oriented/a-star-search-strategy.ts";
import { DependencyGraphSearch } from "#kit/planners/goal-oriented/dependency-graph-search.ts";
import { DfsSearchStrategy } from "#kit/planners/goal-oriented/dfs-search-strategy.ts";
import { GoalOrientedSearchGraph } from "#kit/planners/goal-oriented/goal-oriented-search-graph.ts";
import type { SearchRequest } from "#kit/planners/goal-oriented/search-strategy.ts";
import type { BenchOptions } from "../bench-options.ts";
import { mediansOf } from "../medians-of.ts";
import { printFigures } from "../print-figures.ts";
import type { Figures } from "../scenarios/scenario.ts";
import { type PlanShape, planShapes } from "./plan-shapes.ts";

const AGENTS = [200, 10_000];
/** One round measures each search so often, in turn, so that other load of the machine affects all. */
const SAMPLES = 25;

const dependencyGraph = new DependencyGraphSearch();
const dfs = new DfsSearchStrategy();
const aStar = new AStarSearchStrategy();

const SEARCHES = {
  DependencyGraphSearch: (request: SearchRequest) => dependencyGraph.search(request).length,
  DfsSearchStrategy: (request: SearchRequest) => dfs.searchGrouped(request).flat().length,
  AStarSearchStrategy: (request: SearchRequest) => aStar.searchGrouped(request).flat().length,
} as const;

/** Measures the searches of goal-oriented planning, each beside `DependencyGraphSearch`. */
export function benchPlans({ rounds, only }: BenchOptions): void {
  for (const shape of AGENTS.flatMap(planShapes)) {
    if (only !== undefined && !shape.name.includes(only)) continue;
    process.stdout.write(`\nplans: ${shape.name}\n`);
    const medians = mediansOf(Array.from({ length: rounds }, () => measure(shape)));
    const base = medians[unitOf("DependencyGraphSearch")] ?? Number.NaN;
    const bases = Object.fromEntries(Object.keys(medians).map((name) => [name, base]));
    printFigures(medians, new Map([["DependencyGraphSearch", bases]]));
  }
}

/** Milliseconds of one plan by each search, and of the graph that all of them read. */
function measure({ metadata, goal }: PlanShape): Figures {
  const samples: Figures[] = [];
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const figures: Record<string, number> = {};
    const timed = <Result>(name: string, work: () => Result): Result => {
      const before = performance.now();
      const result = work();
      figures[unitOf(name)] = performance.now() - before;
      return result;
    };
    const graph = timed("GoalOrientedSearchGraph", () => new GoalOrientedSearchGraph(metadata));
    const request: SearchRequest = { graph, preconditions: new Set(), goal };
    for (const [name, search] of Object.entries(SEARCHES)) {
      const planned = timed(name, () => search(request));
      if (planned !== metadata.length) throw new Error(`${name} plans ${planned} of ${metadata.length} agents.`);
    }
    samples.push(figures);
  }
  return mediansOf(samples);
}

function unitOf(name: string): string {
  return `${name} ms`;
}
