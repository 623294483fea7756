import type { GenerateContentConfig } from "#kit/models/llm-request.ts";
import type { AgentMetadata } from "#kit/planners/agent-metadata.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { BaseAgentConfig, InstanceRef } from "./agent-config.ts";

/** A definition of a `PlannerAgent`. */
export interface PlannerAgentConfig extends BaseAgentConfig {
  readonly planner: PlannerConfig;
  readonly maxIterations?: number;
}

/** Refers to a planner by its name in the component registry. */
export interface PlannerConfig {
  readonly name: string;
  /** As written; read by the fields of the planner's class. */
  readonly args?: JsonObject;
}

/** Arguments of a `LoopPlanner`. */
export interface LoopPlannerConfig {
  readonly maxCycles: number;
}

/** Arguments of a `SupervisorPlanner`. */
export interface SupervisorPlannerConfig {
  readonly model?: string;
  /** A model of the component registry, instead of `model`. */
  readonly modelCode?: InstanceRef;
  readonly systemInstruction?: string;
  readonly maxEvents?: number;
  readonly maxAnswers?: number;
  readonly generateContentConfig?: GenerateContentConfig;
}

/** Arguments of a `P2PPlanner`. */
export interface P2PPlannerConfig {
  readonly metadata?: readonly AgentMetadata[];
  readonly maxInvocations: number;
  /** A function of the component registry. */
  readonly exitCondition?: InstanceRef;
}

/** Arguments of a `GoalOrientedPlanner`. */
export interface GoalOrientedPlannerConfig {
  readonly goal: string;
  /** Metadata of agents for which it cannot be derived from their definitions. */
  readonly metadata?: readonly AgentMetadata[];
  /** A strategy of the component registry. */
  readonly searchStrategy?: InstanceRef;
  readonly replanPolicy?: ReplanPolicyConfig;
  readonly preconditions?: readonly string[];
  readonly freshOutputs?: boolean;
}

/** What happens if an agent ends without writing its output. */
export interface ReplanPolicyConfig {
  readonly kind: "FailStop" | "Ignore" | "Replan";
  /** Only for Replan. */
  readonly maxAttempts?: number;
}
