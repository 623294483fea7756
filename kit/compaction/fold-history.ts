import type { Content } from "../events/content.ts";
import type { Event } from "../events/event.ts";
import type { EventCompaction } from "../events/event-actions.ts";

/** Events of a session in order; the first has this sequence, and there are no gaps. */
export interface HistorySlice {
  readonly events: readonly Event[];
  readonly firstSequence: number;
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

/** Whether the event changes what earlier events mean for a prompt. */
export function changesPast({ actions }: Event): boolean {
  return actions.compaction !== undefined || actions.rewindBeforeInvocationId !== undefined;
}

/** The history as it counts. Looks at every event: for readers that were not kept up. */
export function foldHistory(history: HistorySlice): readonly HistoryItem[] {
  const live = withoutRewound(numbered(history));
  const ranges = live.flatMap((item) => rangeOf(item, live));
  const summaries = ranges.filter((range, index) => !ranges.slice(index + 1).some((later) => contains(later, range)));
  if (summaries.length === 0) return live;
  return withSummaries(live, summaries);
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

export function numbered({ events, firstSequence }: HistorySlice): readonly EventItem[] {
  return events.map((event, index) => ({ kind: "event", sequence: firstSequence + index, event }));
}

/** A summary and the events it stands for; `own` is the sequence of the event that brought it. */
interface Range {
  readonly summary: SummaryItem;
  readonly kept: ReadonlySet<number>;
  readonly own: number;
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

function covers({ summary, kept }: Range, sequence: number): boolean {
  return sequence >= summary.startSequence && sequence <= summary.endSequence && !kept.has(sequence);
}
