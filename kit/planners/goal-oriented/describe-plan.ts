import type { AgentGroups } from "./search-strategy.ts";

/** An agent that has ended without writing its key. */
export interface MissingOutput {
  readonly agentName: string;
  readonly outputKey: string;
}

interface DescribedPlan {
  readonly goal: string;
  readonly groups: AgentGroups;
  /** 0: the first plan of the turn. */
  readonly replans: number;
  /** Why it was made; empty for the first plan. */
  readonly missing: readonly MissingOutput[];
}

/** How many groups, and how many names of one group, a text has. */
const MAX_GROUPS = 50;
const MAX_NAMES = 20;

/** The plan as text for people, one line for each group. */
export function describePlan({ goal, groups, replans, missing }: DescribedPlan): string {
  const cause = missing.length === 0 ? "" : `Agents ended without their output: ${outputsOf(missing)}. `;
  if (groups.length === 0) return `${cause}The state has the goal "${goal}": no agent has to run.`;
  const steps = groups.slice(0, MAX_GROUPS).map((names, index) => `${index + 1}. ${listed(names)}`);
  const others = groups.length - steps.length;
  const title = replans === 0 ? "Plan" : `Plan ${replans + 1}`;
  return [
    `${cause}${title} for the goal "${goal}":`,
    ...steps,
    ...(others > 0 ? [`and ${others} more groups`] : []),
  ].join("\n");
}

/** The error message at the end of a turn; `cause`: why there is no further plan, if one was allowed. */
export function describeStop(missing: readonly MissingOutput[], cause?: string): string {
  const why = cause === undefined ? "" : `, ${cause}`;
  return `The plan stops${why}: agents ended without their output: ${outputsOf(missing)}.`;
}

function outputsOf(missing: readonly MissingOutput[]): string {
  return listed(missing.map(({ agentName, outputKey }) => `${agentName} -> ${outputKey}`));
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES);
  const others = names.length - shown.length;
  return [...shown, ...(others > 0 ? [`${others} more`] : [])].join(", ");
}
