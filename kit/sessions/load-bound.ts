/**
 * What a run needs to be given of its session's events: those from `from` on, and a few earlier ones. Its prompts, its choice of agent and
 * the calls that wait for an answer are the same as with all events, since a summary stands in for the rest. Nothing is deleted, and reads by
 * clients are not bounded.
 *
 * Stores keep the bound in the session's head, as the writer of the newest event that changes what earlier ones mean (a summary, a rewind) has
 * told it, and never look for it. A writer that does not tell it gives it up, and all events are needed until a run tells it again.
 */
export interface LoadBound {
  /** Sequence of the first of the events that are all needed. */
  readonly from: number;
  /** Sequences before `from`, ascending: what the summary leaves as it is, and what tells who speaks. */
  readonly earlier: readonly number[];
}

/** All events are needed. */
export const NO_LOAD_BOUND: LoadBound = { from: 1, earlier: [] };

/** The bound as stores keep it: absent when it leaves nothing out. */
export function keptLoadBound(bound: LoadBound | undefined): LoadBound | undefined {
  return bound === undefined || bound.from <= 1 ? undefined : bound;
}
