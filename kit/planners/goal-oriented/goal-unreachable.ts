import { PlatformError } from "#kit/errors/platform-error.ts";
import type { GoalOrientedSearchGraph } from "./goal-oriented-search-graph.ts";

/** A key that a plan needs and no agent writes. */
export interface MissingKey {
  readonly key: string;
  /** The output key of the agent that reads it; undefined for the goal itself. */
  readonly neededFor: string | undefined;
}

/** How many keys or agents one message names. */
const MAX_NAMED = 8;

export function missingProducers(
  missing: readonly MissingKey[],
  goal: string,
  graph: GoalOrientedSearchGraph,
): PlatformError {
  const needs = listed(missing, ({ key, neededFor }) =>
    neededFor === undefined
      ? `"${key}", the goal`
      : `"${key}", which agent "${graph.getProducerAgent(neededFor)}" reads`,
  );
  const fix = "set it in the state before the run, or add an agent that writes it";
  return unreachable(goal, `no agent writes ${needs}, and the state does not have it: ${fix}.`, keysOf(missing));
}

/** `keys`: each is written by an agent that reads the next one, and the last one's reads the first. */
export function circularDependency(
  keys: readonly string[],
  goal: string,
  graph: GoalOrientedSearchGraph,
): PlatformError {
  const circle = keys.map((key, index) => ({ key, next: keys[index + 1] ?? keys[0] ?? key }));
  const links = listed(
    circle,
    ({ key, next }) => `agent "${graph.getProducerAgent(key)}" writes "${key}" and reads "${next}"`,
  );
  const fix = "remove one of these inputs, or set its key in the state before the run";
  return unreachable(goal, `agents depend on each other in a circle: ${links}: ${fix}.`, keysOf(circle));
}

function unreachable(goal: string, problem: string, keys: string): PlatformError {
  return new PlatformError("GOAL_UNREACHABLE", `No plan produces the key "${goal}": ${problem}`, {
    details: { goal, keys },
  });
}

function keysOf(entries: readonly { readonly key: string }[]): string {
  return listed(entries, ({ key }) => key);
}

function listed<Entry>(entries: readonly Entry[], toText: (entry: Entry) => string): string {
  const named = entries.slice(0, MAX_NAMED).map(toText);
  const others = entries.length - named.length;
  return [...named, ...(others > 0 ? [`${others} more`] : [])].join(", ");
}
