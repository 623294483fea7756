import type { UsageMetadata } from "../events/content.ts";
import type { EventRecord, StoredEvent } from "../events/event-record.ts";
import type { JsonObject } from "../platform/json.ts";
import type { JournalHead } from "./journal-head.ts";
import type { LoadBound } from "./load-bound.ts";
import type {
  ConcurrencyPolicy,
  Lease,
  RunError,
  RunRecord,
  RunRequest,
  RunStatus,
  TerminalRunStatus,
} from "./run-record.ts";
import type { SessionKey } from "./session.ts";

export interface BeginRunRequest {
  readonly runId: string;
  readonly session: SessionKey;
  readonly invocationId: string;
  readonly request: RunRequest;
  readonly policy: ConcurrencyPolicy;
  /** Names the runner. A holder that comes back takes its own lease over at once, others wait until it expires. */
  readonly holder: string;
  readonly leaseMs: number;
  /** Newest sequence that the caller's cache holds of this session; 0 for none. */
  readonly haveRevision: number;
  /** The `incarnation` of the session that the caller's cache holds; another one makes the snapshot complete. */
  readonly haveIncarnation?: string;
  /**
   * The caller can do with what the session's load bound asks for, and tells the bound with each event that changes it. Absent: it gets all
   * events, and the bound is given up, as such a caller does not keep it.
   */
  readonly fromLoadBound?: boolean;
  /**
   * The run's first event. It is stored by the step that starts the run for the first time, if it is of the run's invocation; a caller whom
   * the answer does not tell so has to append it.
   */
  readonly opening?: EventRecord;
  readonly deadline?: number;
  readonly idempotencyKey?: string;
  /** How many runs may wait for the session besides this one. */
  readonly maxQueued?: number;
  /** How long after the end of its lease another run keeps its place before this one; `leaseMs` when absent. */
  readonly abandonAfterMs?: number;
}

/** The session as far as the caller lacks it. */
export interface SessionSnapshot {
  /** Tells sessions apart that had the same id one after the other. */
  readonly incarnation: string;
  readonly revision: number;
  /**
   * In order: those after `haveRevision`; when `complete`, all of them, or all that the session's load bound asks for. The newest is always
   * among them.
   */
  readonly events: readonly StoredEvent[];
  /** The caller's cache must be dropped: nothing of it adds to `events`. */
  readonly complete: boolean;
  /** All scopes merged, keys of shared scopes with their prefix. */
  readonly state: JsonObject;
  readonly lastUpdateTime: number;
}

export type BeginRunResult =
  | {
      readonly kind: "started";
      readonly lease: Lease;
      readonly run: RunRecord;
      /** As the run has found it: without what `opening` brought. */
      readonly snapshot: SessionSnapshot;
      /** Whether the request's `opening` is stored, as the event after the snapshot's newest. */
      readonly opened: boolean;
    }
  /** The run is recorded as pending; call begin again with the same id once `behind` has ended. */
  | { readonly kind: "queued"; readonly run: RunRecord; readonly behind: string }
  /** The run (or the one with the same idempotency key) was begun before and has ended, or another holder has it. */
  | { readonly kind: "existing"; readonly run: RunRecord };

export interface AppendEventsRequest {
  readonly lease: Lease;
  readonly leaseMs: number;
  /** Newest sequence the writer knows of. */
  readonly afterRevision: number;
  /** Complete events in order; at least one. */
  readonly events: readonly EventRecord[];
  /** As it is after these events, told when one of them changes it. */
  readonly loadBound?: LoadBound;
}

export interface AppendEventsResult {
  readonly lease: Lease;
  readonly revision: number;
  /** The request's events with their sequences, in the request's order. */
  readonly stored: readonly StoredEvent[];
  /** What others stored after `afterRevision` (state changes from outside), in order. Usually empty. */
  readonly missed: readonly StoredEvent[];
  readonly cancelRequested: boolean;
}

export interface FinishRunRequest {
  readonly lease: Lease;
  readonly afterRevision: number;
  /** The run's last events; may be empty. */
  readonly events: readonly EventRecord[];
  readonly status: TerminalRunStatus;
  readonly usage?: UsageMetadata;
  readonly error?: RunError;
  /** As in `AppendEventsRequest`. */
  readonly loadBound?: LoadBound;
}

export interface FinishRunResult {
  readonly run: RunRecord;
  readonly revision: number;
  readonly stored: readonly StoredEvent[];
  readonly missed: readonly StoredEvent[];
}

export interface ListRunsRequest {
  readonly session?: SessionKey;
  readonly appName?: string;
  readonly userId?: string;
  /** `awaiting_input` finds the runs that still wait, and not those that a later run has answered. */
  readonly statuses?: readonly RunStatus[];
  readonly pageSize?: number;
  readonly pageToken?: string;
}

export interface ListRunsResponse {
  /** Newest first. */
  readonly runs: readonly RunRecord[];
  readonly nextPageToken?: string;
}

export interface ListAbandonedRequest {
  /** Only runs that were recorded at least so long ago: younger ones are in somebody's hands. */
  readonly minAgeMs: number;
  readonly limit: number;
}

/**
 * Runs, their leases and the events they write. Each method is one atomic step of the store that keeps the sessions.
 *
 * Fencing: `append`, `finish` and `renew` succeed only under the run's current epoch and holder, and otherwise throw
 * `LEASE_LOST` and change nothing; they throw `SESSION_NOT_FOUND` when the session was deleted meanwhile. Repeating a call
 * is harmless: events are recognised by id, a finished run answers its record.
 */
export interface RunJournal {
  /**
   * Takes the session's lease and creates the run's record, or applies the policy when another run holds it: `reject`
   * throws `SESSION_BUSY`; `enqueue` answers `queued` (runs start in the order in which they were recorded; `QUEUE_FULL`
   * beyond `maxQueued`); `interrupt` and `rollback` also ask the active run to cancel, and end those that wait as cancelled. Called with the id of a run that
   * exists: a pending run starts when it is first in line; a running one whose lease has expired, or is the caller's own, is
   * taken over with a higher epoch and one more attempt. Throws `SESSION_NOT_FOUND` (unless the request asks to create the session) and
   * `SESSION_CLOSED`.
   *
   * A run whose lease has expired keeps its place for `abandonAfterMs`, so that a holder can take it over; after that the next run in
   * line ends it as `interrupted` and starts.
   */
  begin(request: BeginRunRequest): Promise<BeginRunResult>;
  /** Stores events with dense sequences, applies their deltas by scope, extends the lease. Throws `SESSION_CLOSED`. */
  append(request: AppendEventsRequest): Promise<AppendEventsResult>;
  /**
   * Stores the last events, sets the terminal status once and for all and releases the lease, in one step. Throws `SESSION_CLOSED`
   * when events are given and the session was closed; without events the run can still end.
   */
  finish(request: FinishRunRequest): Promise<FinishRunResult>;
  /** Extends the lease of a silent run. */
  renew(lease: Lease, leaseMs: number): Promise<{ readonly lease: Lease; readonly cancelRequested: boolean }>;
  /**
   * Gives the run up for another holder instead of ending it: it is pending again, the first in line of its session, and `handovers`
   * counts it. Fenced like `append`; a repeated call finds the lease lost.
   */
  release(lease: Lease): Promise<RunRecord>;
  /**
   * Asks for the run's end: a pending one is cancelled at once, a running one gets its flag set. Throws `RUN_NOT_FOUND`; a run that has
   * ended is answered as it is.
   */
  cancel(runId: string): Promise<RunRecord>;
  /** The record, or undefined when there is none. */
  get(runId: string): Promise<RunRecord | undefined>;
  list(request: ListRunsRequest): Promise<ListRunsResponse>;
  /**
   * Where the journals of several sessions stand, in the order of the sessions; undefined for a session that does not exist. One call of
   * the store that reads neither events nor requests, for those who wait for news of many. Throws `INVALID_FIELD` for more than
   * `MAX_HEADS`.
   */
  getHeads(sessions: readonly SessionKey[]): Promise<readonly (JournalHead | undefined)[]>;
  /**
   * Runs that seem to be in nobody's hands, oldest first, of each session the one whose turn it is: running ones whose lease has expired
   * by the store's clock, and pending ones that could start. `begin` with a run's id decides who takes it.
   */
  listAbandoned(request: ListAbandonedRequest): Promise<readonly RunRecord[]>;
}
