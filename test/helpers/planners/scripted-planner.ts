import { BaseAgent } from "#kit/core/base-agent.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { modelContent } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import { createEventActions } from "#kit/events/event-actions.ts";
import type { Planner } from "#kit/planners/planner.ts";
import type { Plan, PlannerAction } from "#kit/planners/planner-action.ts";
import { type PlanningContext, TurnPlanning } from "#kit/planners/planning-context.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { createInvocation, type InvocationOptions } from "#test/helpers/worlds/invocation.ts";

export type Decide = (context: PlanningContext) => PlannerAction;

/** A planner that decides by a list: one function for each action, then it is done. Its position is its plan. */
export class ScriptedPlanner implements Planner {
  readonly #decisions: readonly Decide[];

  constructor(...decisions: readonly Decide[]) {
    this.#decisions = decisions;
  }

  firstAction(context: PlanningContext): PlannerAction {
    return this.nextAction(context);
  }

  nextAction(context: PlanningContext): PlannerAction {
    const position = Number(context.plan["position"] ?? 0);
    const action = this.#decisions[position]?.(context) ?? { kind: "Done" };
    return { ...action, plan: { position: position + 1, ...action.plan } };
  }
}

/** An action that runs the agents of these names. */
export function run(...names: readonly string[]): Decide {
  return ({ findAgent }) => ({ kind: "RunAgents", agents: names.map(findAgent) });
}

/** An agent that writes its name, or a text, with changes of the state. */
export class Speaker extends BaseAgent {
  readonly #stateDelta: JsonObject;
  readonly #escalate: boolean;
  readonly #text: string;

  constructor(
    name: string,
    stateDelta: JsonObject = {},
    { escalate = false, text = name }: { readonly escalate?: boolean; readonly text?: string } = {},
  ) {
    super({ name, description: `Speaks as ${name}.` });
    this.#stateDelta = stateDelta;
    this.#escalate = escalate;
    this.#text = text;
  }

  protected override async *runAsyncImpl(context: InvocationContext): AsyncGenerator<Event> {
    const stateDelta = { ...this.#stateDelta };
    const actions = createEventActions({ stateDelta, ...(this.#escalate && { escalate: true }) });
    yield context.createEvent({ content: modelContent(this.#text), actions });
  }
}

/** A planning context outside any run. */
export function createPlanning(
  agents: readonly BaseAgent[],
  { plan, stepEvents = [], ...invocation }: InvocationOptions & { plan?: Plan; stepEvents?: readonly Event[] } = {},
): PlanningContext {
  const planning = new TurnPlanning(createInvocation(invocation), agents, plan);
  planning.beginStep(stepEvents);
  return planning;
}
