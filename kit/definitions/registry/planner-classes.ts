import type { BaseAgent } from "#kit/core/base-agent.ts";
import type {
  GoalOrientedPlannerConfig,
  LoopPlannerConfig,
  P2PPlannerConfig,
  SupervisorPlannerConfig,
} from "#kit/definitions/yaml/planner-config.ts";
import {
  GOAL_ORIENTED_PLANNER_FIELDS,
  LOOP_PLANNER_FIELDS,
  P2P_PLANNER_FIELDS,
  SUPERVISOR_PLANNER_FIELDS,
} from "#kit/definitions/yaml/planner-config-fields.ts";
import { ConfigurationException } from "#kit/errors/kit-errors.ts";
import type { BaseLlm } from "#kit/models/base-llm.ts";
import { defaultModelRegistry } from "#kit/models/registry/model-registry.ts";
import type { AgentMetadata } from "#kit/planners/agent-metadata.ts";
import { deriveAgentMetadata } from "#kit/planners/derive-agent-metadata.ts";
import { GoalOrientedPlanner } from "#kit/planners/goal-oriented/goal-oriented-planner.ts";
import type { ReplanPolicy } from "#kit/planners/goal-oriented/replan-policy.ts";
import type { SearchStrategy } from "#kit/planners/goal-oriented/search-strategy.ts";
import { LoopPlanner } from "#kit/planners/loop-planner.ts";
import { P2PPlanner, type P2PPlannerOptions } from "#kit/planners/p2p-planner.ts";
import { ParallelPlanner } from "#kit/planners/parallel-planner.ts";
import { SequentialPlanner } from "#kit/planners/sequential-planner.ts";
import { SupervisorPlanner } from "#kit/planners/supervisor/supervisor-planner.ts";
import { suggestion } from "#kit/schema/suggest.ts";
import type { PlannerClass, PlannerParts } from "./component-registry.ts";

const loopPlanner: PlannerClass<LoopPlannerConfig> = {
  fields: LOOP_PLANNER_FIELDS,
  fromConfig: (args) => new LoopPlanner(args),
};

const supervisorPlanner: PlannerClass<SupervisorPlannerConfig> = {
  fields: SUPERVISOR_PLANNER_FIELDS,
  fromConfig: ({ model, modelCode, ...args }, parts) =>
    new SupervisorPlanner({
      ...args,
      model: modelCode === undefined ? namedModel(model) : modelOf(modelCode.name, parts),
    }),
};

const p2pPlanner: PlannerClass<P2PPlannerConfig> = {
  fields: P2P_PLANNER_FIELDS,
  fromConfig: ({ metadata, exitCondition, ...args }, parts) =>
    new P2PPlanner({
      ...args,
      metadata: metadataOf(parts.subAgents, metadata),
      exitCondition: exitCondition && conditionOf(exitCondition.name, parts),
    }),
};

const goalOrientedPlanner: PlannerClass<GoalOrientedPlannerConfig> = {
  fields: GOAL_ORIENTED_PLANNER_FIELDS,
  fromConfig: ({ metadata, searchStrategy, replanPolicy, ...args }, parts) =>
    new GoalOrientedPlanner({
      ...args,
      metadata: metadataOf(parts.subAgents, metadata),
      searchStrategy: searchStrategy && strategyOf(searchStrategy.name, parts),
      // The fields require the number for the kind that has one.
      replanPolicy: replanPolicy as ReplanPolicy | undefined,
    }),
};

/** The planners of the kit that a definition may name. */
export const PLANNER_CLASSES: Readonly<Record<string, PlannerClass>> = {
  SequentialPlanner: { fromConfig: () => new SequentialPlanner() },
  ParallelPlanner: { fromConfig: () => new ParallelPlanner() },
  LoopPlanner: loopPlanner,
  SupervisorPlanner: supervisorPlanner,
  GoalOrientedPlanner: goalOrientedPlanner,
  P2PPlanner: p2pPlanner,
};

/** The given metadata, and that of the other sub-agents, which is derived. */
function metadataOf(subAgents: readonly BaseAgent[], given: readonly AgentMetadata[] = []): readonly AgentMetadata[] {
  const names = subAgents.map(({ name }) => name);
  const unknown = given.find(({ agentName }) => !names.includes(agentName));
  if (unknown !== undefined) {
    const { agentName } = unknown;
    throw new ConfigurationException(`No sub-agent is named "${agentName}"${suggestion(agentName, names) || "."}`);
  }
  const others = subAgents.filter(({ name }) => !given.some(({ agentName }) => agentName === name));
  return [...given, ...others.map(deriveAgentMetadata)];
}

/** An unknown name is reported to the file's author immediately, and not to the first user. */
function namedModel(name = ""): string {
  defaultModelRegistry.resolve(name);
  return name;
}

function modelOf(name: string, parts: PlannerParts): BaseLlm {
  return instanceOf(name, "model", isModel, parts);
}

function strategyOf(name: string, parts: PlannerParts): SearchStrategy {
  return instanceOf(name, "search strategy", isStrategy, parts);
}

function conditionOf(name: string, parts: PlannerParts): ExitCondition {
  return instanceOf(name, "function", isCondition, parts);
}

type ExitCondition = NonNullable<P2PPlannerOptions["exitCondition"]>;

function instanceOf<Kind>(
  name: string,
  kind: string,
  is: (value: unknown) => value is Kind,
  { instances }: PlannerParts,
): Kind {
  const found = instances.get(name);
  if (is(found)) return found;
  if (found !== undefined) throw new ConfigurationException(`"${name}" is registered, and is not a ${kind}.`);
  throw new ConfigurationException(`No ${kind} "${name}" is registered${suggestion(name, instances.names()) || "."}`);
}

function isModel(value: unknown): value is BaseLlm {
  return typeof value === "object" && value !== null && "generateContentAsync" in value;
}

function isStrategy(value: unknown): value is SearchStrategy {
  return typeof value === "object" && value !== null && "searchGrouped" in value;
}

/** A function's parameters cannot be checked: the caller that registers it is responsible for them. */
function isCondition(value: unknown): value is ExitCondition {
  return typeof value === "function";
}
