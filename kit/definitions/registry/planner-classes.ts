import type { BaseAgent } from "#kit/core/base-agent.ts";
import type { GoalOrientedPlannerConfig, LoopPlannerConfig } from "#kit/definitions/yaml/planner-config.ts";
import { GOAL_ORIENTED_PLANNER_FIELDS, LOOP_PLANNER_FIELDS } from "#kit/definitions/yaml/planner-config-fields.ts";
import { ConfigurationException } from "#kit/errors/kit-errors.ts";
import type { AgentMetadata } from "#kit/planners/agent-metadata.ts";
import { deriveAgentMetadata } from "#kit/planners/derive-agent-metadata.ts";
import { GoalOrientedPlanner } from "#kit/planners/goal-oriented/goal-oriented-planner.ts";
import type { ReplanPolicy } from "#kit/planners/goal-oriented/replan-policy.ts";
import type { SearchStrategy } from "#kit/planners/goal-oriented/search-strategy.ts";
import { LoopPlanner } from "#kit/planners/loop-planner.ts";
import { ParallelPlanner } from "#kit/planners/parallel-planner.ts";
import { SequentialPlanner } from "#kit/planners/sequential-planner.ts";
import { suggestion } from "#kit/schema/suggest.ts";
import type { PlannerClass, PlannerParts } from "./component-registry.ts";

const loopPlanner: PlannerClass<LoopPlannerConfig> = {
  fields: LOOP_PLANNER_FIELDS,
  fromConfig: (args) => new LoopPlanner(args),
};

const goalOrientedPlanner: PlannerClass<GoalOrientedPlannerConfig> = {
  fields: GOAL_ORIENTED_PLANNER_FIELDS,
  fromConfig: ({ metadata, searchStrategy, replanPolicy, ...args }, parts) =>
    new GoalOrientedPlanner({
      ...args,
      metadata: metadataOf(parts.subAgents, metadata),
      ...(searchStrategy !== undefined && { searchStrategy: strategyOf(searchStrategy.name, parts) }),
      // The fields require the number for the kind that has one.
      ...(replanPolicy !== undefined && { replanPolicy: replanPolicy as ReplanPolicy }),
    }),
};

/** The planners of the kit that a definition may name. */
export const PLANNER_CLASSES: Readonly<Record<string, PlannerClass>> = {
  SequentialPlanner: { fromConfig: () => new SequentialPlanner() },
  ParallelPlanner: { fromConfig: () => new ParallelPlanner() },
  LoopPlanner: loopPlanner,
  GoalOrientedPlanner: goalOrientedPlanner,
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

function strategyOf(name: string, parts: PlannerParts): SearchStrategy {
  const found = parts.instances.get(name);
  if (isStrategy(found)) return found;
  if (found !== undefined) throw new ConfigurationException(`"${name}" is registered, and is no search strategy.`);
  const hint = suggestion(name, parts.instances.names()) || ".";
  throw new ConfigurationException(`No search strategy "${name}" is registered${hint}`);
}

function isStrategy(value: unknown): value is SearchStrategy {
  return typeof value === "object" && value !== null && "searchGrouped" in value;
}
