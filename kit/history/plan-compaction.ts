import { type Event, functionCalls, functionResponses, saidContent, USER_AUTHOR } from "#kit/events/event.ts";
import { askedCallId } from "#kit/events/reserved-calls.ts";
import type { EventItem, HistoryItem, SummaryItem } from "./fold-history.ts";

export interface CompactionRule {
  /** How many of the newest events are kept. */
  readonly retain: number;
  /** Cover whole invocations only, and at least this number. */
  readonly invocations?: number | undefined;
  /** Number of invocations before the window that are summarized a second time. */
  readonly overlap?: number | undefined;
  /** Cover nothing of this invocation: other agents may be running in it. */
  readonly sparedInvocationId?: string | undefined;
}

export interface CompactionPlan {
  readonly previous: readonly SummaryItem[];
  /** Events that the new summary covers, oldest first. */
  readonly covered: readonly Event[];
  readonly startSequence: number;
  readonly endSequence: number;
  readonly keptSequences: readonly number[];
  readonly startTimestamp: number;
  readonly endTimestamp: number;
}

/**
 * Plans what to summarize: everything but the newest events, earlier summaries included. Calls and responses stay
 * together; calls that wait for an answer are kept, and so is the user's question in an invocation that the cut
 * divides. Returns undefined if nothing is due.
 */
export function planCompaction(items: readonly HistoryItem[], rule: CompactionRule): CompactionPlan | undefined {
  const events = items.filter((item) => item.kind === "event");
  const cut = cutOf(events, rule);
  const kept = keptItems(events, cut);
  const covered = events.slice(0, cut).filter((item) => !kept.has(item));
  const [first, last] = [events[0], covered.at(-1)];
  if (first === undefined || last === undefined || !covered.some(({ event }) => saidContent(event) !== undefined))
    return undefined;
  if (rule.invocations !== undefined && invocationsOf(covered).size < rule.invocations) return undefined;
  const previous = items.filter((item) => item.kind === "summary");
  const endSequence = Math.max(last.sequence, ...previous.map((summary) => summary.endSequence));
  return {
    previous,
    covered: covered.map(({ event }) => event),
    // From the beginning, so that the summary comes before the kept events.
    startSequence: Math.min(first.sequence, ...previous.map((summary) => summary.startSequence)),
    endSequence,
    keptSequences: events.flatMap((item) => (kept.has(item) && item.sequence < endSequence ? item.sequence : [])),
    startTimestamp: Math.min(first.event.timestamp, ...previous.map((summary) => summary.startTimestamp)),
    endTimestamp: last.event.timestamp,
  };
}

/** The events of the newest invocations that end before the window begins. */
export function overlapOf(live: readonly EventItem[], plan: CompactionPlan, invocations: number): readonly Event[] {
  const start = live.findIndex(({ event }) => event === plan.covered[0]);
  const before = live.slice(overlapStart(live, start, invocations), Math.max(start, 0));
  return before.flatMap(({ event }) => (saidContent(event) === undefined ? [] : [event]));
}

/** Index of the first event of the newest `invocations` invocations before `end`. */
export function overlapStart(live: readonly EventItem[], end: number, invocations: number): number {
  const seen = new Set<string>();
  let from = end;
  for (; from > 0; from -= 1) {
    const before = live[from - 1]?.event;
    if (before === undefined) break;
    if (!seen.has(before.invocationId) && seen.size === invocations) break;
    seen.add(before.invocationId);
  }
  return from;
}

function cutOf(events: readonly EventItem[], { retain, invocations, sparedInvocationId }: CompactionRule): number {
  let cut = Math.max(events.length - retain, 0);
  if (sparedInvocationId !== undefined) {
    const spared = events.findIndex(({ event }) => event.invocationId === sparedInvocationId);
    if (spared !== -1) cut = Math.min(cut, spared);
  }
  if (invocations === undefined) return cut;
  while (cut > 0 && cut < events.length && sameInvocation(events[cut - 1], events[cut])) cut -= 1;
  return cut;
}

/** The events before the cut that have to be kept: those tied to an event after it, or to a call without an answer. */
function keptItems(events: readonly EventItem[], cut: number): ReadonlySet<EventItem> {
  const ties = events.map(({ event }) => tiesOf(event));
  const kept = new Set<EventItem>();
  const tied = waitingCalls(events);
  for (const ids of ties.slice(cut)) for (const id of ids) tied.add(id);
  for (let grown = tied.size > 0; grown; ) {
    grown = false;
    for (let index = 0; index < cut; index += 1) {
      const item = events[index];
      const ids = ties[index];
      if (item === undefined || ids === undefined || kept.has(item) || !ids.some((id) => tied.has(id))) continue;
      kept.add(item);
      for (const id of ids) tied.add(id);
      grown = true;
    }
  }
  const question = cutQuestion(events, cut);
  if (question !== undefined) kept.add(question);
  return kept;
}

/** Ids of long-running calls without a response. A call that was interrupted is not among them: no answer will come. */
export function waitingCalls(events: readonly EventItem[]): Set<string> {
  const waiting = new Set<string>();
  for (const { event } of events) {
    for (const id of event.longRunningToolIds ?? []) waiting.add(id);
    for (const { id } of functionResponses(event)) if (id !== undefined) waiting.delete(id);
  }
  return waiting;
}

/** Ids of the calls that the event makes, answers or asks to confirm. */
function tiesOf(event: Event): readonly string[] {
  const ids = [
    ...Object.keys(event.actions.requestedToolConfirmations),
    ...Object.keys(event.actions.requestedAuthConfigs),
    ...Object.keys(event.actions.requestedInputs ?? {}),
  ];
  for (const call of functionCalls(event)) {
    for (const id of [call.id, askedCallId(call)]) if (id !== undefined) ids.push(id);
  }
  for (const { id } of functionResponses(event)) if (id !== undefined) ids.push(id);
  return ids;
}

/** The user's question in the invocation that the cut divides. */
function cutQuestion(events: readonly EventItem[], cut: number): EventItem | undefined {
  const invocationId = events[cut]?.event.invocationId;
  if (invocationId === undefined) return undefined;
  return events
    .slice(0, cut)
    .find(({ event }) => event.invocationId === invocationId && event.author === USER_AUTHOR && asksSomething(event));
}

function asksSomething({ content }: Event): boolean {
  return content?.parts?.some((part) => part.functionResponse === undefined) === true;
}

function sameInvocation(one: EventItem | undefined, other: EventItem | undefined): boolean {
  return one?.event.invocationId === other?.event.invocationId;
}

function invocationsOf(events: readonly EventItem[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { event } of events) if (saidContent(event) !== undefined) ids.add(event.invocationId);
  return ids;
}
