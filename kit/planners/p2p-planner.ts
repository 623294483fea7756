import { hash } from "node:crypto";
import type { BaseAgent } from "#kit/core/base-agent.ts";
import { type AgentMetadata, checkAgentMetadata, checkKnownAgents } from "#kit/planners/agent-metadata.ts";
import type { Planner } from "#kit/planners/planner.ts";
import type { PlannerAction } from "#kit/planners/planner-action.ts";
import { linksByKeys, type PlannerDescription } from "#kit/planners/planner-description.ts";
import type { PlanningContext } from "#kit/planners/planning-context.ts";
import { readPlan } from "#kit/planners/read-plan.ts";
import { canonicalJson, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { checkOptions, integer, method, type OptionRules, required } from "#kit/schema/check-options.ts";
import { Type } from "#kit/schema/shape.ts";

/** Options of a `P2PPlanner`. */
export interface P2PPlannerOptions {
  /** The state keys that each agent reads and writes; several agents may write one key. */
  readonly metadata: readonly AgentMetadata[];
  /** No agent is started once this many were started in the turn; those of one step are started together. */
  readonly maxInvocations: number;
  /** Ends the turn after a step if it returns true. `invocations`: agents started until now. */
  readonly exitCondition?: (state: JsonObject, invocations: number) => boolean;
}

const RULES: OptionRules<P2PPlannerOptions> = {
  metadata: required({ must: "a list of agent metadata", accepts: Array.isArray }),
  maxInvocations: required(integer(1)),
  exitCondition: method,
};

/** Beside `invocations`, a member for each agent that was started: the digest of the values that it read. */
const P2PPlan = Type.Object({ invocations: Type.Integer({ minimum: 0 }) }, { additionalProperties: Type.String() });

/**
 * Runs each agent once all its input keys are in the state, and again when a value that it reads has changed since.
 * All agents that are ready run at the same time. It is done when none is ready.
 */
export class P2PPlanner implements Planner {
  readonly metadata: readonly AgentMetadata[];
  readonly maxInvocations: number;
  readonly #exitCondition: P2PPlannerOptions["exitCondition"];

  /** Throws `INVALID_FIELD` for wrong options or metadata. */
  constructor(options: P2PPlannerOptions) {
    checkOptions("new P2PPlanner", options, RULES);
    checkAgentMetadata(options.metadata, "metadata");
    this.metadata = options.metadata;
    this.maxInvocations = options.maxInvocations;
    this.#exitCondition = options.exitCondition;
  }

  checkAgents(availableAgents: readonly BaseAgent[]): void {
    checkKnownAgents(this.metadata, availableAgents);
  }

  describe(): PlannerDescription {
    return { name: "P2PPlanner", links: linksByKeys(this.metadata) };
  }

  firstAction(context: PlanningContext): PlannerAction {
    return this.#startReady(context, 0);
  }

  nextAction(context: PlanningContext): PlannerAction {
    const { invocations } = readPlan(context, P2PPlan);
    if (this.#exitCondition?.(context.state, invocations) === true) return { kind: "Done" };
    return this.#startReady(context, invocations);
  }

  #startReady({ findAgent, plan, state }: PlanningContext, invocations: number): PlannerAction {
    if (invocations >= this.maxInvocations) return { kind: "Done" };
    const started: Record<string, JsonValue> = {};
    const agents = this.metadata.flatMap(({ agentName, inputKeys }) => {
      const digest = digestOf(state, inputKeys);
      if (digest === undefined || digest === plan[memberOf(agentName)]) return [];
      started[memberOf(agentName)] = digest;
      return [findAgent(agentName)];
    });
    if (agents.length === 0) return { kind: "Done" };
    return { kind: "RunAgents", agents, plan: { invocations: invocations + agents.length, ...started } };
  }
}

/** Never equals `invocations` or another agent's member, because names of agents have no colon. */
function memberOf(agentName: string): string {
  return `inputs:${agentName}`;
}

/** A digest of the values of these keys, because the values may be large; undefined if a key is missing. */
function digestOf(state: JsonObject, keys: readonly string[]): string | undefined {
  const values: JsonValue[] = [];
  for (const key of keys) {
    const value = Object.hasOwn(state, key) ? state[key] : undefined;
    if (value === undefined || value === null) return undefined;
    values.push(value);
  }
  return hash("sha256", canonicalJson(values), "base64url");
}
