import { PlatformError } from "#kit/errors/platform-error.ts";
import { DfsSearchStrategy } from "./dfs-search-strategy.ts";
import { type AgentGroups, groupByLevel, type SearchRequest, type SearchStrategy } from "./search-strategy.ts";

/** Options of an `AStarSearchStrategy`. */
export interface AStarSearchStrategyOptions {
  /** Most agents that one search activates before it uses dependency order instead; 10,000 by default. */
  readonly maxExpansions?: number;
}

const DEFAULT_MAX_EXPANSIONS = 10_000;

/**
 * Goes forward from the preconditions: activates agents whose inputs are all present, until the goal is.
 *
 * A* orders its nodes by their cost, the agents used so far, plus an estimate, here the needed keys that are not present.
 * Each key has one producer, so each activation of a needed agent adds one to the cost and removes one from the
 * estimate: all nodes have the same priority, the oldest one is always a best one, and no node is expanded in vain. The
 * search therefore needs a queue of agents instead of sets of keys, and its time grows linearly with the agents and
 * their inputs. Over `maxExpansions`, and where no agent can be activated, it falls back to dependency order, which also
 * finds the keys that an error has to name.
 */
export class AStarSearchStrategy implements SearchStrategy {
  readonly maxExpansions: number;
  readonly #dependencyOrder = new DfsSearchStrategy();

  /** Throws `INVALID_FIELD` unless `maxExpansions` is a whole number from 1. */
  constructor({ maxExpansions = DEFAULT_MAX_EXPANSIONS }: AStarSearchStrategyOptions = {}) {
    if (!Number.isSafeInteger(maxExpansions) || maxExpansions < 1) {
      throw new PlatformError("INVALID_FIELD", `maxExpansions is ${maxExpansions}: give a whole number from 1.`, {
        details: { field: "maxExpansions" },
      });
    }
    this.maxExpansions = maxExpansions;
  }

  searchGrouped(request: SearchRequest): AgentGroups {
    const levels = this.#activate(request);
    const isComplete = levels.has(request.goal) || request.preconditions.has(request.goal);
    return isComplete ? groupByLevel(levels, request.graph) : this.#dependencyOrder.searchGrouped(request);
  }

  /** The output keys of the activated agents with their levels, until the goal is among them or nothing is left. */
  #activate(request: SearchRequest): ReadonlyMap<string, number> {
    const { consumers, missingInputs } = neededOf(request);
    const open = [...missingInputs].filter(([, count]) => count === 0).map(([key]) => ({ key, level: 0 }));
    const levels = new Map<string, number>();
    // The queue grows while it is read.
    for (const { key, level } of open) {
      if (levels.size === this.maxExpansions) break;
      levels.set(key, level);
      for (const consumer of consumers.get(key) ?? []) {
        const count = (missingInputs.get(consumer) ?? 0) - 1;
        missingInputs.set(consumer, count);
        // Agents are activated level by level: the input that arrives last has the highest level.
        if (count === 0) open.push({ key: consumer, level: level + 1 });
      }
    }
    return levels;
  }
}

/** The keys between the preconditions and the goal. */
interface NeededKeys {
  /** Keys that an agent writes and that the goal needs, with the number of the producer's inputs that are not present. */
  readonly missingInputs: Map<string, number>;
  /** By key, the output keys of the agents that read it. */
  readonly consumers: ReadonlyMap<string, readonly string[]>;
}

function neededOf({ graph, preconditions, goal }: SearchRequest): NeededKeys {
  const missingInputs = new Map<string, number>();
  const consumers = new Map<string, string[]>();
  const needed = new Set<string>(preconditions.has(goal) ? [] : [goal]);
  // The set grows while it is read.
  for (const key of needed) {
    if (!graph.contains(key)) continue;
    const inputs = graph.getDependencies(key).filter((input) => !preconditions.has(input));
    missingInputs.set(key, inputs.length);
    for (const input of inputs) {
      needed.add(input);
      const readers = consumers.get(input);
      if (readers === undefined) consumers.set(input, [key]);
      else readers.push(key);
    }
  }
  return { missingInputs, consumers };
}
