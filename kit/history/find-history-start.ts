import { isToolBranch } from "#kit/events/branch.ts";
import { type Event, functionResponses, USER_AUTHOR } from "#kit/events/event.ts";
import { type HistoryStart, NO_HISTORY_START } from "#kit/sessions/history-start.ts";
import {
  covers,
  type EventItem,
  type HistorySlice,
  numbered,
  opensTurn,
  rangesOf,
  withoutRewound,
} from "./fold-history.ts";
import { overlapStart, waitingCalls } from "./plan-compaction.ts";

/**
 * The most entries of `HistoryStart.earlier`, which is stored in the session's head. If more events are needed, `from` is
 * an earlier sequence.
 */
const MAX_EARLIER = 200;

/**
 * The history start of a session with these events. Reads all of them, so it is computed after a summary or a rewind only.
 * `overlap` is how many summarized invocations the next summarizer gets again.
 */
export function findHistoryStart(history: HistorySlice, overlap = 0): HistoryStart {
  const all = numbered(history);
  const live = withoutRewound(all);
  const newest = all.at(-1);
  // The range of a summary by another server is found by times, in all events.
  if (newest === undefined || live.some(({ event }) => hasTimesOnly(event))) return NO_HISTORY_START;
  const ranges = rangesOf(live);
  if (ranges.length === 0) return NO_HISTORY_START;
  const effective = new Set(ranges.map(({ own }) => own));
  const isUncovered = ({ event, sequence }: EventItem): boolean =>
    event.actions.compaction === undefined ? !ranges.some((range) => covers(range, sequence)) : effective.has(sequence);
  const needed = new Set<EventItem>([...live.filter(isUncovered), ...newestOfAgents(live), newest]);
  for (const opening of openTurns(live))
    for (const item of [opening, ...newestOfAgents(live.slice(0, live.indexOf(opening)))]) needed.add(item);
  for (const item of overlapBefore(live, isUncovered, overlap)) needed.add(item);
  for (const item of answersTo(needed, live)) needed.add(item);
  const sequences = [...needed].map(({ sequence }) => sequence).sort((one, other) => one - other);
  return boundOf(sequences, all.findLast(({ event }) => isRewind(event))?.sequence ?? 0);
}

function hasTimesOnly({ actions: { compaction } }: Event): boolean {
  return compaction !== undefined && (compaction.startSequence === undefined || compaction.endSequence === undefined);
}

function isRewind({ actions }: Event): boolean {
  return actions.rewindBeforeInvocationId !== undefined;
}

/** The newest event of each agent: they decide which agent answers next. */
function newestOfAgents(live: readonly EventItem[]): readonly EventItem[] {
  const newest = new Map<string, EventItem>();
  for (const item of live) {
    const { author, branch, content } = item.event;
    if (author !== USER_AUTHOR && content !== undefined && !isToolBranch(branch)) newest.set(author, item);
  }
  return [...newest.values()];
}

/**
 * The opening events of the turns that may be resumed: of invocations that wait for an answer, and of the current run.
 */
function openTurns(live: readonly EventItem[]): readonly EventItem[] {
  const open = new Set([live.at(-1)?.event.invocationId]);
  const waiting = waitingCalls(live);
  for (const { event } of waiting.size === 0 ? [] : live)
    if (event.longRunningToolIds?.some((id) => waiting.has(id)) === true) open.add(event.invocationId);
  const openings = new Map<string, EventItem>();
  for (const item of live)
    if (open.has(item.event.invocationId) && opensTurn(item.event)) openings.set(item.event.invocationId, item);
  return [...openings.values()];
}

/** The responses to long-running calls: without its response, such a call would seem to wait for one. */
function answersTo(needed: ReadonlySet<EventItem>, live: readonly EventItem[]): readonly EventItem[] {
  const later = new Set<string>();
  for (const { event } of needed) for (const id of event.longRunningToolIds ?? []) later.add(id);
  if (later.size === 0) return [];
  return live.filter(({ event }) => functionResponses(event).some(({ id }) => id !== undefined && later.has(id)));
}

/** The events at the end of this summary's range that the next summarizer gets again. */
function overlapBefore(
  live: readonly EventItem[],
  isUncovered: (item: EventItem) => boolean,
  overlap: number,
): readonly EventItem[] {
  if (overlap === 0) return [];
  const end = live.findLastIndex((item) => !isUncovered(item)) + 1;
  return live.slice(overlapStart(live, end, overlap), end);
}

/**
 * `sequences` ascend and end with the session's newest. Of the events before the newest rewind only these may be
 * loaded, because others may be rewound. After the rewind, additional events are harmless.
 */
function boundOf(sequences: readonly number[], newestRewind: number): HistoryStart {
  let at = sequences.length - 1;
  while (at > 0 && sequences[at - 1] === (sequences[at] ?? 0) - 1) at -= 1;
  at = Math.min(at, MAX_EARLIER);
  const from = sequences[at];
  if (from === undefined || (at === MAX_EARLIER && from < newestRewind)) return NO_HISTORY_START;
  return { from, earlier: sequences.slice(0, at) };
}
