import type { Content } from "#kit/events/content.ts";
import { changesPast, type Event, functionResponses, USER_AUTHOR } from "#kit/events/event.ts";
import type { EventCompaction } from "#kit/events/event-actions.ts";

/** Events of a session in order. There are gaps only before and between the events at `earlier`. */
export interface HistorySlice {
  readonly events: readonly Event[];
  /** Sequence of the first event after those at `earlier`. */
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

/** An entry of a history after its rewinds are applied and summaries have replaced the events that they cover. */
export type HistoryItem = EventItem | SummaryItem;

/** Whether the event opens an agent's turn, rather than answers one of its calls. */
export function opensTurn(event: Event): boolean {
  return event.author === USER_AUTHOR && functionResponses(event).length === 0 && !changesPast(event);
}

/** Applies rewinds and summaries to the history. Reads every event; a `PromptView` is the incremental form. */
export function foldHistory(history: HistorySlice): readonly HistoryItem[] {
  const live = withoutRewound(numbered(history));
  const summaries = rangesOf(live);
  return summaries.length === 0 ? live : withSummaries(live, summaries);
}

/** The events that are left after every rewind among them is applied. */
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

/** A summary and the events that it covers; `own` is the sequence of the summary's event. */
export interface Range {
  readonly summary: SummaryItem;
  readonly kept: ReadonlySet<number>;
  readonly own: number;
}

/** The effective summaries: those that no later one contains. */
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

/** Summaries of other servers have times only; they cover earlier events within these times. */
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
  const placed = new Set<Range>();
  for (const item of live) {
    for (const range of ranges) {
      // The summary is placed where its range begins, or before the first later event.
      if (placed.has(range) || item.sequence < range.summary.startSequence) continue;
      placed.add(range);
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
