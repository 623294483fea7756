import type { BaseAgent } from "#kit/core/base-agent.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { TEMP_PREFIX } from "#kit/events/state-prefixes.ts";
import { type AgentMetadata, checkKnownAgents } from "#kit/planners/agent-metadata.ts";
import type { Planner } from "#kit/planners/planner.ts";
import type { PlannerAction } from "#kit/planners/planner-action.ts";
import { linksByKeys, type PlannerDescription } from "#kit/planners/planner-description.ts";
import type { PlanningContext } from "#kit/planners/planning-context.ts";
import { invalidPlan, readPlan } from "#kit/planners/read-plan.ts";
import { checkOptions, flag, having, required, text } from "#kit/schema/check-options.ts";
import { Type } from "#kit/schema/shape.ts";
import { assertReachable } from "./assert-reachable.ts";
import { describePlan, describeStop, type MissingOutput } from "./describe-plan.ts";
import { DfsSearchStrategy } from "./dfs-search-strategy.ts";
import { GoalOrientedSearchGraph } from "./goal-oriented-search-graph.ts";
import { type ReplanPolicy, toReplanPolicy } from "./replan-policy.ts";
import type { AgentGroups, SearchStrategy } from "./search-strategy.ts";

/** Options of a `GoalOrientedPlanner`. */
export interface GoalOrientedPlannerOptions {
  /** The state key that the turn has to produce. */
  readonly goal: string;
  /**
   * The state keys that the sub-agents read and write; `deriveAgentMetadata` reads them from an LLM agent. Sub-agents
   * without metadata are never run.
   */
  readonly metadata: readonly AgentMetadata[];
  /** `DfsSearchStrategy` by default. */
  readonly searchStrategy?: SearchStrategy;
  /** What happens if agents end without their output; `true` is FailStop, `false` (the default) Ignore. */
  readonly replanPolicy?: ReplanPolicy | boolean;
  /**
   * The state keys that are set before a turn. With them the constructor also refuses metadata with an input that nothing
   * writes, and accepts circles that these keys open.
   */
  readonly preconditions?: readonly string[];
  /**
   * Each turn produces the goal again: outputs of earlier turns are not used. By default a key that is in the state is
   * not produced again. Keys of `preconditions` always count. A turn is an invocation: passes of a loop around the
   * agent are one.
   */
  readonly freshOutputs?: boolean;
}

const GoalPlan = Type.Object({
  /** Names of agents; groups run one after another. */
  groups: Type.Array(Type.Array(Type.String())),
  /** Index of the group that runs. */
  group: Type.Integer({ minimum: 0 }),
  /** Plans since the last group whose outputs were all written. */
  replans: Type.Integer({ minimum: 0 }),
});

/**
 * Orders agents by the state keys that they read and write, back from the key that is the goal. Agents that do not need
 * each other's outputs run at the same time. The plan, and each new one after a failure, is an event of the agent.
 */
export class GoalOrientedPlanner implements Planner {
  readonly goal: string;
  readonly metadata: readonly AgentMetadata[];
  readonly graph: GoalOrientedSearchGraph;
  readonly searchStrategy: SearchStrategy;
  readonly replanPolicy: ReplanPolicy;
  readonly freshOutputs: boolean;
  readonly #outputKeys: ReadonlyMap<string, string>;
  readonly #preconditions: ReadonlySet<string>;

  /**
   * Throws `INVALID_FIELD` for metadata that can produce the goal in no state: two agents that write one key, no agent
   * that writes the goal, agents that need each other's outputs.
   */
  constructor(options: GoalOrientedPlannerOptions) {
    checkOptions("new GoalOrientedPlanner", options, {
      goal: required(text),
      metadata: required({ must: "a list of { agentName, inputKeys, outputKey }", accepts: Array.isArray }),
      searchStrategy: having("searchGrouped"),
      // `toReplanPolicy` checks the value.
      replanPolicy: { must: "a policy", accepts: () => true },
      preconditions: {
        must: "a list of state keys",
        accepts: (keys) => Array.isArray(keys) && keys.every(text.accepts),
      },
      freshOutputs: flag,
    });
    this.goal = options.goal;
    this.metadata = options.metadata;
    this.graph = new GoalOrientedSearchGraph(options.metadata);
    this.searchStrategy = options.searchStrategy ?? new DfsSearchStrategy();
    this.replanPolicy = toReplanPolicy(options.replanPolicy);
    this.freshOutputs = options.freshOutputs ?? false;
    this.#outputKeys = new Map(options.metadata.map(({ agentName, outputKey }) => [agentName, outputKey]));
    this.#preconditions = new Set(options.preconditions);
    assertReachable(this.graph, this.goal, options.preconditions);
  }

  checkAgents(availableAgents: readonly BaseAgent[]): void {
    checkKnownAgents(this.metadata, availableAgents);
  }

  describe(): PlannerDescription {
    return { name: "GoalOrientedPlanner", links: linksByKeys(this.metadata) };
  }

  firstAction(context: PlanningContext): PlannerAction {
    return this.#begin(context, this.#search(context), 0);
  }

  nextAction(context: PlanningContext): PlannerAction {
    const plan = readPlan(context, GoalPlan);
    const unknown = this.#findUnknown(plan.groups.slice(plan.group));
    if (unknown !== undefined)
      throw invalidPlan(context.invocationContext.agent.name, `it has the agent "${unknown}", which has no metadata`);
    const missing = this.#missingOutputs(context, plan.groups[plan.group]);
    if (missing.length === 0) return runGroup(context, plan.groups, { group: plan.group + 1, replans: 0 });
    const { replanPolicy } = this;
    switch (replanPolicy.kind) {
      case "Ignore":
        return runGroup(context, plan.groups, { group: plan.group + 1, replans: 0 });
      case "FailStop":
        return failed(describeStop(missing));
      case "Replan":
        if (plan.replans < replanPolicy.maxAttempts) return this.#replan(context, missing, plan.replans + 1);
        return failed(describeStop(missing, `max replan attempts (${replanPolicy.maxAttempts}) exhausted`));
      default:
        return replanPolicy satisfies never;
    }
  }

  #replan(context: PlanningContext, missing: readonly MissingOutput[], replans: number): PlannerAction {
    let groups: AgentGroups;
    try {
      groups = this.#search(context);
    } catch (error) {
      if (!(error instanceof PlatformError) || error.reason !== "GOAL_UNREACHABLE") throw error;
      return failed(describeStop(missing, `replanning failed (${error.message})`));
    }
    return this.#begin(context, groups, replans, missing);
  }

  #begin(
    context: PlanningContext,
    groups: AgentGroups,
    replans: number,
    missing: readonly MissingOutput[] = [],
  ): PlannerAction {
    const thought = describePlan({ goal: this.goal, groups, replans, missing });
    const event = { content: { role: "model", parts: [{ text: thought, thought: true }] } } as const;
    const action = runGroup(context, groups, { group: 0, replans });
    return { ...action, event, plan: { groups, group: 0, replans } };
  }

  #search(context: PlanningContext): AgentGroups {
    const { goal, graph } = this;
    const groups = this.searchStrategy.searchGrouped({ graph, goal, preconditions: this.#presentKeys(context) });
    const unknown = this.#findUnknown(groups);
    if (unknown === undefined) return groups;
    const known = [...this.#outputKeys.keys()].map((name) => `"${name}"`).join(", ");
    const problem = `plans "${unknown}", which has no metadata: plan only ${known}.`;
    const { name } = context.invocationContext.agent;
    throw new PlatformError("PLANNER_FAILED", `The search strategy of agent "${name}" ${problem}`);
  }

  /** The first agent in the groups that has no metadata; an agent that is not a sub-agent has none. */
  #findUnknown(groups: AgentGroups): string | undefined {
    return groups.flat().find((name) => !this.#outputKeys.has(name));
  }

  #missingOutputs(context: PlanningContext, group: readonly string[] | undefined): readonly MissingOutput[] {
    const present = this.#presentKeys(context);
    return (group ?? []).flatMap((agentName) => {
      const outputKey = this.#outputKeys.get(agentName);
      return outputKey === undefined || present.has(outputKey) ? [] : [{ agentName, outputKey }];
    });
  }

  #presentKeys({ state, events, invocationContext }: PlanningContext): ReadonlySet<string> {
    const present = new Set(Object.keys(state));
    if (!this.freshOutputs) return present;
    const written = new Set<string>();
    for (const { actions, invocationId } of events) {
      if (invocationId !== invocationContext.invocationId) continue;
      for (const key of Object.keys(actions.stateDelta)) written.add(key);
    }
    for (const key of this.#outputKeys.values()) {
      // Keys of the scope temp: are not stored: the state has only those of this turn.
      const isCurrent = written.has(key) || key.startsWith(TEMP_PREFIX) || this.#preconditions.has(key);
      if (!isCurrent) present.delete(key);
    }
    return present;
  }
}

function runGroup(
  { findAgent }: PlanningContext,
  groups: AgentGroups,
  plan: { readonly group: number; readonly replans: number },
): PlannerAction {
  const names = groups[plan.group];
  return names === undefined ? { kind: "Done" } : { kind: "RunAgents", agents: names.map(findAgent), plan };
}

function failed(text: string): PlannerAction {
  return { kind: "DoneWithResult", text, event: { errorCode: "PLAN_FAILED", errorMessage: text } };
}
