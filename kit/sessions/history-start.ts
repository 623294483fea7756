/**
 * The events of a session that a run needs: those from `from` on, and a few earlier ones. The run's prompts, its choice
 * of agent and the calls that wait for an answer are the same as with all events, because a summary replaces the
 * others. Nothing is deleted, and reads by clients are not bounded.
 *
 * Stores keep the bound in the session's head and never compute it. The writer of an event that changes the meaning of
 * earlier ones (a summary, a rewind) passes the new bound with it. A writer that passes none drops the bound, and all
 * events are needed until a run passes one again.
 */
export interface HistoryStart {
  /** Sequence of the first event from which all are needed. */
  readonly from: number;
  /**
   * Sequences before `from`, ascending: events that the summary does not cover, and those that decide which agent
   * answers.
   */
  readonly earlier: readonly number[];
}

/** All events are needed. */
export const NO_HISTORY_START: HistoryStart = { from: 1, earlier: [] };

/** The bound in the form that stores keep: absent if it excludes no event. */
export function keptHistoryStart(bound: HistoryStart | undefined): HistoryStart | undefined {
  return bound === undefined || bound.from <= 1 ? undefined : bound;
}

/** Of the events that the bound includes, those with a greater sequence. */
export function boundAfter({ from, earlier }: HistoryStart, sequence: number): HistoryStart {
  return { from: Math.max(from, sequence + 1), earlier: earlier.filter((place) => place > sequence) };
}
