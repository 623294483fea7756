import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { deriveAgentMetadata } from "#kit/planners/derive-agent-metadata.ts";
import {
  GoalOrientedPlanner,
  type GoalOrientedPlannerOptions,
} from "#kit/planners/goal-oriented/goal-oriented-planner.ts";
import { PlannerAgent } from "#kit/planners/planner-agent.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { ScriptedModel, type ScriptedStep } from "#kit/testing/scripted-model.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";

/** An answer that writes no output. */
export const FAILURE: LlmResponse = { errorCode: "MODEL_UNAVAILABLE", errorMessage: "The model is down." };

/** `"out < in1 in2"`: an agent `out-maker` that reads in1 and in2 and writes out, by default each time it runs. */
export function maker(line: string, steps?: readonly ScriptedStep[]): LlmAgent {
  const [outputKey = "", inputs = ""] = line.split(" < ");
  const reads = inputs.split(" ").map((key) => `{${key}}`);
  return new LlmAgent({
    name: `${outputKey.replace("temp:", "")}-maker`,
    instruction: inputs === "" ? "" : `Use ${reads.join(" and ")}.`,
    model: new ScriptedModel(steps ?? [`the ${outputKey}`], { repeatLast: true }),
    outputKey,
  });
}

export type GoalOptions = Partial<GoalOrientedPlannerOptions> & { readonly state?: JsonObject };

/** A planner agent `desk` over these agents, whose metadata is derived. */
export function worldOf(goal: string, agents: readonly LlmAgent[], { state = {}, ...options }: GoalOptions = {}) {
  const planner = new GoalOrientedPlanner({ goal, metadata: agents.map(deriveAgentMetadata), ...options });
  return createAgentWorld(new PlannerAgent({ name: "desk", planner, subAgents: agents }), { state });
}

/** The brief events of one turn. */
export async function turn(
  goal: string,
  agents: readonly LlmAgent[],
  options?: GoalOptions,
): Promise<readonly string[]> {
  const world = await worldOf(goal, agents, options);
  return (await world.run("Begin.")).map(brief);
}
