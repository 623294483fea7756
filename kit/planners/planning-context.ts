import type { BaseAgent } from "#kit/core/base-agent.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Content } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { Plan } from "./planner-action.ts";

/** The input of a planner's decisions: a live view of the session, and the plan of this turn. */
export interface PlanningContext {
  /** All that the planner has planned in this turn; empty before the first action. Read it with `readPlan`. */
  readonly plan: Plan;
  /** The session's state, with the keys of all scopes. */
  readonly state: JsonObject;
  /** The session's events, oldest first, not only those of this turn. */
  readonly events: readonly Event[];
  /** The complete events of the agents of the last action, oldest first; those before a cut are included. */
  readonly stepEvents: readonly Event[];
  /** The sub-agents of the `PlannerAgent`, in its order. */
  readonly availableAgents: readonly BaseAgent[];
  /** The user's message. */
  readonly userContent: Content | undefined;
  readonly invocationContext: InvocationContext;
  /** The available agent of exactly this name. Throws `AGENT_NOT_FOUND`, which lists the names of all. */
  findAgent(name: string): BaseAgent;
}

/** The planning context of one turn. */
export class TurnPlanning implements PlanningContext {
  readonly invocationContext: InvocationContext;
  readonly availableAgents: readonly BaseAgent[];
  readonly stepEvents: Event[] = [];
  #plan: Plan;

  constructor(invocationContext: InvocationContext, availableAgents: readonly BaseAgent[], plan: Plan = {}) {
    this.invocationContext = invocationContext;
    this.availableAgents = availableAgents;
    this.#plan = plan;
  }

  get plan(): Plan {
    return this.#plan;
  }

  get state(): JsonObject {
    return this.invocationContext.session.state;
  }

  get events(): readonly Event[] {
    return this.invocationContext.session.events;
  }

  get userContent(): Content | undefined {
    return this.invocationContext.userContent;
  }

  // A property, because planners take it out of the context.
  readonly findAgent = (name: string): BaseAgent => {
    const agent = this.availableAgents.find((available) => available.name === name);
    if (agent !== undefined) return agent;
    const names = this.availableAgents.map((available) => `"${available.name}"`).join(", ");
    const owner = this.invocationContext.agent.name;
    throw new PlatformError("AGENT_NOT_FOUND", `Agent "${owner}" has no sub-agent "${name}": it has ${names}.`);
  };

  change(plan: Plan): void {
    this.#plan = { ...this.#plan, ...plan };
  }

  beginStep(events: readonly Event[] = []): void {
    this.stepEvents.splice(0, Number.POSITIVE_INFINITY, ...events);
  }
}
