import { isToolBranch } from "#kit/events/branch.ts";
import { type Event, functionResponses, USER_AUTHOR } from "#kit/events/event.ts";
import { type LoadBound, NO_LOAD_BOUND } from "#kit/sessions/load-bound.ts";
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

/** Heads of sessions stay small; what does not fit moves the bound back. */
const MAX_EARLIER = 200;

/**
 * The load bound of a session with these events. Looks at all of them: for after a summary or a rewind. `overlap` is
 * how many invocations the next summary's writer is shown once more.
 */
export function findLoadBound(history: HistorySlice, overlap = 0): LoadBound {
  const all = numbered(history);
  const live = withoutRewound(all);
  const newest = all.at(-1);
  // What summaries of other servers cover is found by times, in all events.
  if (newest === undefined || live.some(({ event }) => tellsTimesOnly(event))) return NO_LOAD_BOUND;
  const ranges = rangesOf(live);
  if (ranges.length === 0) return NO_LOAD_BOUND;
  const told = new Set(ranges.map(({ own }) => own));
  const isLeft = ({ event, sequence }: EventItem): boolean =>
    event.actions.compaction === undefined ? !ranges.some((range) => covers(range, sequence)) : told.has(sequence);
  const needed = new Set<EventItem>([...live.filter(isLeft), ...speakers(live), newest]);
  for (const opening of openTurns(live))
    for (const item of [opening, ...speakers(live.slice(0, live.indexOf(opening)))]) needed.add(item);
  for (const item of overlapBefore(live, isLeft, overlap)) needed.add(item);
  for (const item of answersTo(needed, live)) needed.add(item);
  const sequences = [...needed].map(({ sequence }) => sequence).sort((one, other) => one - other);
  return boundOf(sequences, all.findLast(({ event }) => isRewind(event))?.sequence ?? 0);
}

function tellsTimesOnly({ actions: { compaction } }: Event): boolean {
  return compaction !== undefined && (compaction.startSequence === undefined || compaction.endSequence === undefined);
}

function isRewind({ actions }: Event): boolean {
  return actions.rewindBeforeInvocationId !== undefined;
}

/** What each agent has said last: whichever of them may answer next, the newest of these decides. */
function speakers(live: readonly EventItem[]): readonly EventItem[] {
  const newest = new Map<string, EventItem>();
  for (const item of live) {
    const { author, branch, content } = item.event;
    if (author !== USER_AUTHOR && content !== undefined && !isToolBranch(branch)) newest.set(author, item);
  }
  return [...newest.values()];
}

/** What opened the turns that may be gone on with: of invocations that wait for an answer, and of the run at hand. */
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

/** Of calls that answer later: without its answer, such a call would seem to wait for it. */
function answersTo(needed: ReadonlySet<EventItem>, live: readonly EventItem[]): readonly EventItem[] {
  const later = new Set<string>();
  for (const { event } of needed) for (const id of event.longRunningToolIds ?? []) later.add(id);
  if (later.size === 0) return [];
  return live.filter(({ event }) => functionResponses(event).some(({ id }) => id !== undefined && later.has(id)));
}

/** What the next summary's writer is shown of the end of this one's range. */
function overlapBefore(
  live: readonly EventItem[],
  isLeft: (item: EventItem) => boolean,
  overlap: number,
): readonly EventItem[] {
  if (overlap === 0) return [];
  const end = live.findLastIndex((item) => !isLeft(item)) + 1;
  return live.slice(overlapStart(live, end, overlap), end);
}

/**
 * Ascending sequences that end with the session's newest. Nothing but these may be loaded from before the newest
 * rewind, for what is missing there was rewound; behind it, more does no harm.
 */
function boundOf(sequences: readonly number[], newestRewind: number): LoadBound {
  let at = sequences.length - 1;
  while (at > 0 && sequences[at - 1] === (sequences[at] ?? 0) - 1) at -= 1;
  at = Math.min(at, MAX_EARLIER);
  const from = sequences[at];
  if (from === undefined || (at === MAX_EARLIER && from < newestRewind)) return NO_LOAD_BOUND;
  return { from, earlier: sequences.slice(0, at) };
}
