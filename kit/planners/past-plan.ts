import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { markOf, type PastTurn } from "#kit/core/context/past-turn.ts";
import { type Event, USER_AUTHOR } from "#kit/events/event.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { type Static, Type } from "#kit/schema/shape.ts";
import { readValue } from "#kit/schema/shape-reader.ts";
import type { Plan } from "./planner-action.ts";
import { invalidPlan } from "./read-plan.ts";

/**
 * The mark on the first stored event of each step of a planner agent; marks without an iteration belong to that step.
 */
const StepMark = Type.Object({
  /** Actions of the turn until now, this one included. */
  iteration: Type.Integer({ minimum: 1 }),
  /** Names of the agents that the step runs. */
  agents: Type.Array(Type.String()),
  /** The members of the plan that have changed since the step before that has a mark. */
  plan: Type.JsonObject(),
  /** The turn has ended. */
  isDone: Type.Optional(Type.Boolean()),
});

export type StepMark = Static<typeof StepMark>;

/** The part of a planner agent's turn that was stored when the turn was interrupted or began to wait. */
export interface PastPlan {
  readonly plan: Plan;
  /** The newest step. */
  readonly step: StepMark;
  /** The past of that step, for its agents. */
  readonly past: PastTurn;
  /** The complete events of its agents. */
  readonly stepEvents: readonly Event[];
}

/** Returns undefined if the turn is new or has stored no step. Throws `PLAN_INVALID`. */
export function readPastPlan({ agent, past }: InvocationContext): PastPlan | undefined {
  let plan: Plan = {};
  let step: StepMark | undefined;
  let start = 0;
  past?.events.forEach((event, index) => {
    const mark = markOf(event, agent);
    if (mark?.["iteration"] === undefined) return;
    step = readMark(agent.name, mark);
    start = index;
    plan = { ...plan, ...step.plan };
  });
  if (past === undefined || step === undefined) return undefined;
  const unknown = step.agents.find((name) => !agent.subAgents.some((subAgent) => subAgent.name === name));
  if (unknown !== undefined) throw invalidPlan(agent.name, `it runs the agent "${unknown}", which is not a sub-agent`);
  const ofStep = past.from(start);
  const isOfAgents = ({ author }: Event): boolean => author !== USER_AUTHOR && author !== agent.name;
  return { plan, step, past: ofStep, stepEvents: ofStep.events.filter(isOfAgents) };
}

function readMark(agentName: string, mark: JsonObject): StepMark {
  const result = readValue(StepMark, structuredClone(mark), { maxIssues: 1 });
  if (result.ok) return result.value;
  throw invalidPlan(agentName, "its step is not readable");
}
