import { type Event, functionCalls, functionResponses, type Resumption, USER_AUTHOR } from "#kit/events/event.ts";
import { recordedEvents } from "#kit/events/recorded-events.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import type { AgentNode } from "./agent-node.ts";

interface PastTurnOptions {
  /** The agent whose turn this is: the events are all its own and those of the turns inside it. */
  readonly owner?: AgentNode | undefined;
  /**
   * Whether this run stored the event before it was recovered, so that the work after the event was interrupted and
   * does not wait for an answer.
   */
  readonly isInterrupted: (event: Event) => boolean;
}

/**
 * The events that a turn had stored before it was interrupted, or before it began to wait for an answer. An agent that
 * resumes the turn reads from them where it stopped: from the authors of the events, and from progress marks for agents
 * whose progress the authors do not show.
 */
export class PastTurn {
  readonly isInterrupted: (event: Event) => boolean;
  readonly #owner: AgentNode | undefined;
  #events: readonly Event[];

  /** `events`: oldest first; complete events of one invocation, with the user's answers. Events that no run wrote are left out. */
  constructor(events: readonly Event[], options: PastTurnOptions) {
    this.#events = recordedEvents(events);
    this.#owner = options.owner;
    this.isInterrupted = options.isInterrupted;
  }

  get events(): readonly Event[] {
    return this.#events;
  }

  /**
   * Removes and returns the events of the agent's next turn: a second turn of the agent gets none of them. Returns
   * undefined if the turn has not begun.
   */
  takeTurnOf(agent: AgentNode, branch: string | undefined): PastTurn | undefined {
    const { isInterrupted } = this;
    if (this.#owner === agent) {
      const events = this.#events;
      this.#events = [];
      return isBegun(events) ? new PastTurn(events, { isInterrupted }) : undefined;
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
    return new PastTurn(turn, { isInterrupted });
  }

  /** The events from one index on; `owner` marks them all as events of that agent's turn. */
  from(index: number, owner?: AgentNode): PastTurn {
    return new PastTurn(this.#events.slice(index), { owner, isInterrupted: this.isInterrupted });
  }

  /** Whether the agent's turn had ended and the user has answered no call since. */
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

  /** Whether this run stored an event with the same effect before it was recovered. */
  hasStored(event: Event): boolean {
    return this.#events.some((known) => this.isInterrupted(known) && hasSameEffect(known, event));
  }

  /** Whether the agent, or one below it, has stored an event. */
  hasBegun(agent: AgentNode): boolean {
    const names = namesOf(agent);
    return this.#events.some(({ author }) => names.has(author));
  }

  /**
   * The agents of a sequence whose turns may not have ended: from the agent whose call the newest event answers, or
   * else from the last agent whose turn has begun.
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

  /** The agent's newest progress mark. */
  stateOf(agent: AgentNode): JsonObject | undefined {
    for (let index = this.#events.length - 1; index >= 0; index -= 1) {
      const mark = markOf(this.#events[index], agent);
      if (mark !== undefined) return mark;
    }
    return undefined;
  }
}

/** Whether two events have the same author, branch and effect; their times and ids may differ. */
export function hasSameEffect(one: Event, other: Event): boolean {
  return one.author === other.author && one.branch === other.branch && effectOf(one) === effectOf(other);
}

function effectOf({ content, actions }: Event): string {
  return JSON.stringify([content, actions.stateDelta]);
}

/** The event's progress mark of that agent. */
export function markOf(event: Event | undefined, agent: AgentNode): JsonObject | undefined {
  const mark = event?.resumption?.agentState?.[agent.name] ?? event?.actions.agentState?.[agent.name];
  return isJsonObject(mark) ? mark : undefined;
}

/** Returns the event with a progress mark of that agent added to the marks of other agents. */
export function withMark(
  event: Event,
  { agent, isResumable, mark }: { readonly agent: AgentNode; readonly isResumable: boolean; readonly mark: JsonObject },
): Event {
  const { agentState } = isResumable ? event.actions : (event.resumption ?? {});
  const marks = { ...agentState, [agent.name]: { ...markOf(event, agent), ...mark } };
  return withResumption(event, { agentState: marks }, isResumable);
}

/**
 * Returns the event with the data that a later run needs to resume the turn: among the actions, where clients of
 * resumable apps expect it, and in a member of its own in other apps.
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
