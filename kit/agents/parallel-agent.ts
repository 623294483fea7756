import { BaseAgent } from "#kit/core/base-agent.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import type { Event } from "../events/event.ts";
import type { JsonValue } from "../platform/json.ts";
import { mergeTurns, type Turn } from "./merge-turns.ts";

/**
 * Runs its sub-agents at the same time, each on a branch of its own: they do not see each other's events, and agents
 * after them see all. State is shared; of two writes to one key the later one is kept. The first failure, or an
 * escalation by one of the sub-agents themselves, ends the others; events until then are kept.
 */
export class ParallelAgent extends BaseAgent {
  override readonly kind = "parallel";

  protected override async *runAsyncImpl(context: InvocationContext): AsyncGenerator<Event, void, undefined> {
    if (context.past?.events.some((event) => this.#isEndedBy(event)) === true) return;
    const ended = new EndedAgents(context);
    const agents = this.subAgents.filter((agent) => !ended.has(agent));
    const stop = new AbortController();
    const signal = AbortSignal.any([context.signal, stop.signal]);
    const turns = agents.map((agent): Turn => {
      const branch = this.#branchOf(agent, context);
      const isNew = context.past?.hasBegun(agent) !== true;
      const onEnd = (gaveEvents: boolean): void => {
        if (isNew && !gaveEvents) ended.add(agent);
      };
      return { events: agent.runAsync(context.forPart({ branch, signal })), onEnd };
    });
    using _ = context.history.makeRoom(turns.length);
    const merged = mergeTurns(turns, stop);
    for await (const event of merged) {
      yield event.partial === true ? event : ended.mark(event);
      if (this.#isEndedBy(event)) return;
    }
  }

  protected override resumeAsyncImpl(context: InvocationContext): AsyncIterable<Event> {
    return this.runAsyncImpl(context);
  }

  #branchOf(agent: BaseAgent, { branch }: InvocationContext): string {
    const own = `${this.name}.${agent.name}`;
    return branch === undefined ? own : `${branch}.${own}`;
  }

  #isEndedBy(event: Event): boolean {
    return event.actions.escalate === true && this.subAgents.some(({ name }) => name === event.author);
  }
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
