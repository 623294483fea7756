import type { Content } from "#kit/events/content.ts";
import { changesPast, type Event, functionResponses, USER_AUTHOR } from "#kit/events/event.ts";
import type { EventCompaction } from "#kit/events/event-actions.ts";

/** Events of a session in order, with no gaps but before and among those at `earlier`. */
export interface HistorySlice {
  readonly events: readonly Event[];
  /** Of the first event behind those at `earlier`. */
  readonly firstSequence: number;
  /** Sequences of the first events, ascending and below `firstSequence`; absent for none. */
  readonly earlier?: readonly number[];
}

export interface EventItem {
  readonly kind: "event";
  readonly sequence: number;
  readonly event: Event;
}

export interface SummaryItem {
  readonly kind: "summary";
  readonly content: Content;
  readonly startSequence: number;
  readonly startTimestamp: number;
  /** Sequence of the newest event that it covers. */
  readonly endSequence: number;
}

/** What is left of a history when its rewinds are carried out and summaries stand in for what they cover. */
export type HistoryItem = EventItem | SummaryItem;

/** Whether the event is what an agent's turn reacts to, rather than an answer to a call of it. */
export function opensTurn(event: Event): boolean {
  return event.author === USER_AUTHOR && functionResponses(event).length === 0 && !changesPast(event);
}

/** The history as it counts. Looks at every event: for readers that were not kept up. */
export function foldHistory(history: HistorySlice): readonly HistoryItem[] {
  const live = withoutRewound(numbered(history));
  const summaries = rangesOf(live);
  return summaries.length === 0 ? live : withSummaries(live, summaries);
}

/** The events that are left when every rewind among them is carried out. */
export function withoutRewound(items: readonly EventItem[]): readonly EventItem[] {
  if (!items.some(({ event }) => event.actions.rewindBeforeInvocationId !== undefined)) return items;
  const kept: EventItem[] = [];
  for (const item of items) {
    const before = item.event.actions.rewindBeforeInvocationId;
    if (before === undefined) kept.push(item);
    else {
      const from = kept.findIndex(({ event }) => event.invocationId === before);
      if (from !== -1) kept.length = from;
    }
  }
  return kept;
}

export function numbered({ events, firstSequence, earlier = [] }: HistorySlice): readonly EventItem[] {
  return events.map((event, index) => {
    const sequence = earlier[index] ?? firstSequence + index - earlier.length;
    return { kind: "event", sequence, event };
  });
}

/** A summary and the events it stands for; `own` is the sequence of the event that brought it. */
export interface Range {
  readonly summary: SummaryItem;
  readonly kept: ReadonlySet<number>;
  readonly own: number;
}

/** The summaries that are told: those that no later one takes in. */
export function rangesOf(live: readonly EventItem[]): readonly Range[] {
  const ranges = live.flatMap((item) => rangeOf(item, live));
  return ranges.filter((range, index) => !ranges.slice(index + 1).some((later) => contains(later, range)));
}

function rangeOf({ event, sequence }: EventItem, live: readonly EventItem[]): readonly Range[] {
  const { compaction } = event.actions;
  if (compaction === undefined) return [];
  const bounds = sequencesOf(compaction, sequence, live);
  if (bounds === undefined) return [];
  const { compactedContent: content, startTimestamp, keptSequences = [] } = compaction;
  return [
    { summary: { kind: "summary", content, startTimestamp, ...bounds }, kept: new Set(keptSequences), own: sequence },
  ];
}

type Bounds = Pick<SummaryItem, "startSequence" | "endSequence">;

/** Summaries of other servers tell times only; they cover what came before them within these. */
function sequencesOf(compaction: EventCompaction, own: number, live: readonly EventItem[]): Bounds | undefined {
  const { startSequence, endSequence, startTimestamp, endTimestamp } = compaction;
  if (startSequence !== undefined && endSequence !== undefined) return { startSequence, endSequence };
  const inside = live.filter(
    ({ sequence, event: { timestamp } }) => sequence < own && timestamp >= startTimestamp && timestamp <= endTimestamp,
  );
  const [first, last] = [inside[0], inside.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  return { startSequence: first.sequence, endSequence: last.sequence };
}

function contains({ summary: outer }: Range, { summary: inner }: Range): boolean {
  return outer.startSequence <= inner.startSequence && outer.endSequence >= inner.endSequence;
}

function withSummaries(live: readonly EventItem[], ranges: readonly Range[]): readonly HistoryItem[] {
  const items: HistoryItem[] = [];
  const told = new Set<Range>();
  for (const item of live) {
    for (const range of ranges) {
      // Its place is where its range begins, or at least before what follows it.
      if (told.has(range) || item.sequence < range.summary.startSequence) continue;
      told.add(range);
      items.push(range.summary);
    }
    if (item.event.actions.compaction === undefined && !ranges.some((range) => covers(range, item.sequence)))
      items.push(item);
  }
  return items;
}

export function covers({ summary, kept }: Range, sequence: number): boolean {
  return sequence >= summary.startSequence && sequence <= summary.endSequence && !kept.has(sequence);
}
