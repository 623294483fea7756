import type { AgentMetadata } from "#kit/planners/agent-metadata.ts";
import { isJsonObject } from "#kit/platform/json.ts";
import { type Shape, Type } from "#kit/schema/shape.ts";
import { BASE_AGENT_FIELDS, instanceRef } from "./agent-config-fields.ts";
import { eitherOr, flag, integer, listOf, oneOf, record, text } from "./config-shapes.ts";
import { GENERATE_CONTENT_FIELDS } from "./model-config-fields.ts";
import type {
  GoalOrientedPlannerConfig,
  LoopPlannerConfig,
  P2PPlannerConfig,
  PlannerAgentConfig,
  PlannerConfig,
  ReplanPolicyConfig,
  SupervisorPlannerConfig,
} from "./planner-config.ts";

const planner = record<PlannerConfig>("Decides which sub-agents run, and in which order.", {
  name: text(
    "SequentialPlanner, ParallelPlanner, LoopPlanner, SupervisorPlanner, GoalOrientedPlanner, P2PPlanner, or one of the component registry.",
  ),
  args: Type.Optional(
    Type.Custom({ type: "object", description: "Options of the planner." }, (given) =>
      isJsonObject(given) ? given : undefined,
    ),
  ),
});

export const PLANNER_AGENT_FIELDS = record<PlannerAgentConfig>("", {
  ...BASE_AGENT_FIELDS.properties,
  planner,
  ...Type.Partial({ maxIterations: integer("The most actions of the planner in one turn; 100 by default.", 1) }),
});

const agentMetadata = record<AgentMetadata>("What one agent reads from the state and writes to it.", {
  agentName: text("Name of the agent."),
  inputKeys: listOf("State keys that it needs before it runs.", text()),
  outputKey: text("State key that it writes."),
});

const metadata = listOf(
  "Metadata of sub-agents for which it cannot be derived. By default, an agent writes its outputKey and reads the {keys} of its instruction.",
  agentMetadata,
);

const replanPolicy = record<ReplanPolicyConfig>(
  "What happens if an agent ends without writing its output; Ignore by default.",
  {
    kind: oneOf(
      ["FailStop", "Ignore", "Replan"],
      "FailStop: the turn ends with an error. Ignore: the plan continues. Replan: a new plan is made.",
    ),
    ...Type.Partial({ maxAttempts: integer("For Replan: the most new plans in a row.", 1) }),
  },
  {
    check: ({ kind, maxAttempts }) => {
      if (kind === "Replan") return maxAttempts === undefined ? { message: '"maxAttempts" is missing.' } : undefined;
      return maxAttempts === undefined
        ? undefined
        : { message: '"maxAttempts" is for the kind Replan alone.', field: "maxAttempts" };
    },
  },
);

export const LOOP_PLANNER_FIELDS = record<LoopPlannerConfig>("", {
  maxCycles: integer("The most passes over the sub-agents.", 1),
});

export const SUPERVISOR_PLANNER_FIELDS = record<SupervisorPlannerConfig>(
  "",
  Type.Partial({
    model: text("Name of the model that decides."),
    modelCode: instanceRef("A model of the component registry, instead of a model's name."),
    systemInstruction: text("A text that is added after the planner's own instruction."),
    maxEvents: integer("How many of the newest events the model reads; 20 by default.", 0),
    maxAnswers: integer("The most calls of the model for one decision until its answer is valid; 3 by default.", 1),
    generateContentConfig: GENERATE_CONTENT_FIELDS,
  }),
  { check: eitherOr<SupervisorPlannerConfig>("model", "modelCode") },
);

export const P2P_PLANNER_FIELDS = record<P2PPlannerConfig>("", {
  maxInvocations: integer("No further agent is started once this many were started in the turn.", 1),
  ...Type.Partial({
    metadata,
    exitCondition: instanceRef("Ends the turn after a step if it returns true for the state and the number of starts."),
  }),
});

export const GOAL_ORIENTED_PLANNER_FIELDS = record<GoalOrientedPlannerConfig>("", {
  goal: text("State key that the turn produces."),
  ...Type.Partial({
    metadata,
    searchStrategy: instanceRef(
      "Finds the plan: DfsSearchStrategy (the default), AStarSearchStrategy, or a strategy of the component registry.",
    ),
    replanPolicy,
    preconditions: listOf(
      "State keys that are set before each turn. For every other input, an agent must write the key.",
      text(),
    ),
    freshOutputs: flag("Each turn produces the goal again; outputs of earlier turns are not used."),
  }),
});

/** The planners of the kit, with the fields of their `args`; undefined for those that take none. */
export const PLANNER_FIELDS: Readonly<Record<string, Shape<object> | undefined>> = {
  SequentialPlanner: undefined,
  ParallelPlanner: undefined,
  LoopPlanner: LOOP_PLANNER_FIELDS,
  SupervisorPlanner: SUPERVISOR_PLANNER_FIELDS,
  GoalOrientedPlanner: GOAL_ORIENTED_PLANNER_FIELDS,
  P2PPlanner: P2P_PLANNER_FIELDS,
};
