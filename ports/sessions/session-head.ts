import type { HistoryStart } from "#kit/sessions/history-start.ts";
import type { Lease, RunRecord } from "#kit/sessions/run-record.ts";
import { type SessionKey, sessionKey } from "#kit/sessions/session.ts";
import type { StorageScope } from "#ports/storage-limits/storage-limits.ts";
import type { AwaitingRun } from "./awaiting-runs.ts";

export interface ActiveRun {
  readonly run: RunRecord;
  readonly lease: Lease;
}

/**
 * The part of a session that a store can read without the events and the state: the facts on which the rules for runs
 * decide.
 */
export interface SessionHead {
  readonly key: SessionKey;
  readonly incarnation: string;
  revision: number;
  lastUpdateTime: number;
  closedTime: number | undefined;
  /** The highest epoch issued. */
  epoch: number;
  /** The run that holds the lease, expired or not. */
  active: ActiveRun | undefined;
  /** Queued runs, in the order in which they were recorded. */
  pending: readonly RunRecord[];
  /** Runs that ended as `awaiting_input` and have no answer yet, oldest first. */
  awaiting: readonly AwaitingRun[];
  /** Absent: all events are needed. */
  historyStart: HistoryStart | undefined;
  /** The agent revision of the session's newest run; undefined if it is not known. */
  agentRevision: string | undefined;
  /** Bytes of JSON of the session's events, of the requests of its runs and of the state that it was created with. */
  storedBytes: number;
  /** The scopes whose counts of stored data include the session. */
  countedIn: readonly StorageScope[];
}

/** The head of a new session without events or runs. */
export function newSessionHead(key: SessionKey, incarnation: string, lastUpdateTime: number): SessionHead {
  return {
    key: sessionKey(key),
    incarnation,
    revision: 0,
    lastUpdateTime,
    closedTime: undefined,
    epoch: 0,
    active: undefined,
    pending: [],
    awaiting: [],
    historyStart: undefined,
    agentRevision: undefined,
    storedBytes: 0,
    countedIn: [],
  };
}
