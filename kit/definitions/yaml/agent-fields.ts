import type { Shape } from "#kit/schema/shape.ts";
import type { BaseAgentConfig } from "./agent-config.ts";
import {
  BASE_AGENT_FIELDS,
  LLM_AGENT_FIELDS,
  LOOP_AGENT_FIELDS,
  REMOTE_A2A_AGENT_FIELDS,
} from "./agent-config-fields.ts";
import { PLANNER_AGENT_FIELDS } from "./planner-config-fields.ts";

/** The kinds of agents that the kit has. */
export const AGENT_FIELDS: Readonly<Record<string, Shape<BaseAgentConfig>>> = {
  LlmAgent: LLM_AGENT_FIELDS,
  SequentialAgent: BASE_AGENT_FIELDS,
  ParallelAgent: BASE_AGENT_FIELDS,
  LoopAgent: LOOP_AGENT_FIELDS,
  PlannerAgent: PLANNER_AGENT_FIELDS,
  RemoteA2AAgent: REMOTE_A2A_AGENT_FIELDS,
};
