import type { BaseAgent } from "#kit/core/base-agent.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import type { Event } from "#kit/events/event.ts";
import type { JsonValue } from "#kit/platform/json.ts";
import { mergeTurns, type Turn } from "./merge-turns.ts";

/**
 * Runs sub-agents of the context's agent at the same time, each on a branch of its own, and yields their events in
 * order of arrival. With the context of a resumed turn, agents that had ended do not run again. The first failure ends
 * the other agents; a reader that stops also ends them.
 */
export async function* runInParallel(
  subAgents: readonly BaseAgent[],
  context: InvocationContext,
): AsyncGenerator<Event, void, undefined> {
  const ended = new EndedAgents(context);
  const agents = subAgents.filter((agent) => !ended.has(agent));
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  const turns = agents.map((agent): Turn => {
    const branch = branchOf(agent, context);
    const isNew = context.past?.hasBegun(agent) !== true;
    const onEnd = (gaveEvents: boolean): void => {
      if (isNew && !gaveEvents) ended.add(agent);
    };
    return { events: agent.runAsync(context.forPart({ branch, signal })), onEnd };
  });
  using _ = context.history.makeRoom(turns.length);
  for await (const event of mergeTurns(turns, stop)) yield event.partial === true ? event : ended.mark(event);
}

function branchOf({ name }: BaseAgent, { agent, branch }: InvocationContext): string {
  const own = `${agent.name}.${name}`;
  return branch === undefined ? own : `${branch}.${own}`;
}

const ENDED = "endedAgents";

/**
 * Sub-agents that ended without an event: the next event records them, so that a recovered or resumed run does not
 * start them again.
 */
class EndedAgents {
  readonly #context: InvocationContext;
  readonly #names: Set<JsonValue>;
  #hasUnmarked = false;

  constructor(context: InvocationContext) {
    this.#context = context;
    const names = context.agentState?.[ENDED];
    this.#names = new Set<JsonValue>(Array.isArray(names) ? names : []);
  }

  has({ name }: BaseAgent): boolean {
    return this.#names.has(name);
  }

  add({ name }: BaseAgent): void {
    this.#names.add(name);
    this.#hasUnmarked = true;
  }

  mark(event: Event): Event {
    if (!this.#hasUnmarked) return event;
    this.#hasUnmarked = false;
    return this.#context.withAgentState(event, { [ENDED]: [...this.#names] });
  }
}
