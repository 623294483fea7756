import { type Event, functionCalls, functionResponses, type Resumption, USER_AUTHOR } from "#kit/events/event.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import type { AgentNode } from "./agent-node.ts";

interface PastTurnOptions {
  /** The agent whose turn this is: the events are all its own and those of the turns inside it. */
  readonly owner?: AgentNode | undefined;
  /**
   * Whether the run that goes on has stored the event itself: what it was doing then was cut off, and does not wait for
   * an answer.
   */
  readonly isCutOff: (event: Event) => boolean;
}

/**
 * What a turn had stored before it was cut off, or before it began to wait for an answer. Whoever goes on with the turn
 * finds in it where: by who wrote the events, and by the marks of those agents whose progress authorship does not tell.
 */
export class PastTurn {
  readonly isCutOff: (event: Event) => boolean;
  readonly #owner: AgentNode | undefined;
  #events: readonly Event[];

  /** Oldest first; complete events of one invocation, answers of the user among them. */
  constructor(events: readonly Event[], options: PastTurnOptions) {
    this.#events = events;
    this.#owner = options.owner;
    this.isCutOff = options.isCutOff;
  }

  get events(): readonly Event[] {
    return this.#events;
  }

  /**
   * Takes what belongs to the next turn of that agent: a second turn of it finds nothing. Undefined when it has not
   * begun.
   */
  takeTurnOf(agent: AgentNode, branch: string | undefined): PastTurn | undefined {
    const { isCutOff } = this;
    if (this.#owner === agent) {
      const events = this.#events;
      this.#events = [];
      return isBegun(events) ? new PastTurn(events, { isCutOff }) : undefined;
    }
    const names = namesOf(agent);
    const callIds = new Set<string | undefined>();
    const [turn, rest]: [Event[], Event[]] = [[], []];
    for (const event of this.#events) {
      if (event.author === USER_AUTHOR) {
        // One message may answer calls of several agents.
        if (functionResponses(event).some(({ id }) => callIds.has(id))) turn.push(event);
        rest.push(event);
      } else if (names.has(event.author) && isWithin(event.branch, branch)) {
        for (const { id } of functionCalls(event)) callIds.add(id);
        turn.push(event);
      } else rest.push(event);
    }
    if (turn.length === 0) return undefined;
    this.#events = rest;
    return new PastTurn(turn, { isCutOff });
  }

  /** The part from one event on, of that agent's turn when one is given. */
  from(index: number, owner?: AgentNode): PastTurn {
    return new PastTurn(this.#events.slice(index), { owner, isCutOff: this.isCutOff });
  }

  /** Whether the agent had come to the end of its turn, and no answer to a call has come since. */
  hasEnded(agent: AgentNode, branch: string | undefined): boolean {
    const newest = this.#events.findLast(
      (event) =>
        event.author === USER_AUTHOR || (isEndOfAgent(event) && event.author === agent.name && event.branch === branch),
    );
    return newest !== undefined && newest.author !== USER_AUTHOR;
  }

  ownEventsOf(agent: AgentNode, branch: string | undefined): readonly Event[] {
    return this.#events.filter((event) => event.author === agent.name && event.branch === branch);
  }

  /** Whether the run that goes on has stored an event that says the same. */
  hasStored(event: Event): boolean {
    return this.#events.some((known) => this.isCutOff(known) && saysTheSame(known, event));
  }

  /** Whether the agent, or one below it, has said something. */
  hasBegun(agent: AgentNode): boolean {
    const names = namesOf(agent);
    return this.#events.some(({ author }) => names.has(author));
  }

  /**
   * Those of the agents, which run one after another, whose turn is not known to be over: from the one whose call the
   * newest event answers, or else from the newest that has begun.
   */
  remaining<Agent extends AgentNode>(agents: readonly Agent[]): readonly Agent[] {
    const asked = this.#askedLast();
    const start = agents.findLastIndex((agent) =>
      asked === undefined ? this.hasBegun(agent) : agent.findAgent(asked),
    );
    return agents.slice(Math.max(start, 0));
  }

  #askedLast(): string | undefined {
    const newest = this.#events.at(-1);
    if (newest?.author !== USER_AUTHOR) return undefined;
    const answered = new Set(functionResponses(newest).map(({ id }) => id));
    return this.#events.find((event) => functionCalls(event).some(({ id }) => answered.has(id)))?.author;
  }

  /** The newest mark of that agent. */
  stateOf(agent: AgentNode): JsonObject | undefined {
    for (let index = this.#events.length - 1; index >= 0; index -= 1) {
      const mark = markOf(this.#events[index], agent);
      if (mark !== undefined) return mark;
    }
    return undefined;
  }
}

/** Whether two events come from the same place and have the same effect, whenever they were made. */
export function saysTheSame(one: Event, other: Event): boolean {
  return one.author === other.author && one.branch === other.branch && effectOf(one) === effectOf(other);
}

function effectOf({ content, actions }: Event): string {
  return JSON.stringify([content, actions.stateDelta]);
}

/** The event's mark of that agent's progress. */
export function markOf(event: Event | undefined, agent: AgentNode): JsonObject | undefined {
  const mark = event?.resumption?.agentState?.[agent.name] ?? event?.actions.agentState?.[agent.name];
  return isJsonObject(mark) ? mark : undefined;
}

/** The event with a mark of that agent's progress beside those of others. */
export function withMark(
  event: Event,
  { agent, isResumable, mark }: { readonly agent: AgentNode; readonly isResumable: boolean; readonly mark: JsonObject },
): Event {
  const { agentState } = isResumable ? event.actions : (event.resumption ?? {});
  const marks = { ...agentState, [agent.name]: { ...markOf(event, agent), ...mark } };
  return withResumption(event, { agentState: marks }, isResumable);
}

/**
 * The event with what a later run may have to know: where clients expect it in resumable apps, and beside it in others.
 */
export function withResumption(event: Event, resumption: Resumption, isResumable: boolean): Event {
  if (isResumable) return { ...event, actions: { ...event.actions, ...resumption } };
  return { ...event, resumption: { ...event.resumption, ...resumption } };
}

function isEndOfAgent({ actions, resumption }: Event): boolean {
  return actions.endOfAgent === true || resumption?.endOfAgent === true;
}

function isBegun(events: readonly Event[]): boolean {
  return events.some(({ author }) => author !== USER_AUTHOR);
}

function isWithin(eventBranch: string | undefined, branch: string | undefined): boolean {
  return branch === undefined || eventBranch === branch || eventBranch?.startsWith(`${branch}.`) === true;
}

function namesOf(agent: AgentNode, names = new Set<string>()): ReadonlySet<string> {
  names.add(agent.name);
  for (const child of agent.subAgents) namesOf(child, names);
  return names;
}
