import type { UsageMetadata } from "../events/content.ts";
import type { EventRecord, StoredEvent } from "../events/event-record.ts";
import type { TenantScoped } from "../names/tenant.ts";
import type { JsonObject } from "../platform/json.ts";
import type { HistoryStart } from "./history-start.ts";
import type { JournalHead } from "./journal-head.ts";
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
  /**
   * Names the runner. A holder that begins its own run again gets the lease immediately; others wait until it expires.
   */
  readonly holder: string;
  readonly leaseMs: number;
  /** Newest sequence that the caller's cache holds of this session; 0 for none. */
  readonly haveRevision: number;
  /** The `incarnation` of the session that the caller's cache holds; another one makes the snapshot complete. */
  readonly haveIncarnation?: string;
  /**
   * The caller supports history starts: it needs only the events that the session's bound includes, and passes the new
   * bound with each event that changes it. Absent: the caller gets all events and the bound is dropped, because such a
   * caller does not maintain it.
   */
  readonly fromHistoryStart?: boolean;
  /**
   * The run's first event. The step that starts the run for the first time stores it if it belongs to the run's
   * invocation; if `opened` is false in the result, the caller has to append it.
   */
  readonly opening?: EventRecord;
  readonly deadline?: number;
  readonly idempotencyKey?: string;
  /** Recorded with a new run. Throws `INVALID_FIELD` for one that `newStreamKey` does not return. */
  readonly streamKey?: string;
  /** How many runs may be queued for the session besides this one. */
  readonly maxQueued?: number;
  /** How long an expired run keeps its place before this one; `leaseMs` when absent. */
  readonly abandonAfterMs?: number;
  /**
   * The caller accepts a result before it is durable: the started run then survives the end of the process, and a power
   * failure only after `durable` of the result has resolved. Absent: the result is durable.
   */
  readonly returnOnCommit?: boolean;
  /**
   * Which runs may begin. `recorded`: only runs that have a record. `available`: only runs that have a record and no
   * holder, so that they are pending or their lease has expired; a run with an unexpired lease does not begin again,
   * not even for its holder. Absent: all runs.
   */
  readonly limitedTo?: "recorded" | "available";
  /**
   * The agent revision that the caller has for the run. A run that began on another, and a new run of a session
   * whose newest run was on another, does not start: the call throws `AGENT_REVISION_DIFFERS` and changes nothing. Absent:
   * the caller executes runs of all agent revisions.
   */
  readonly agentRevision?: string;
  /** The caller moves the run, or its session, from this agent revision to `agentRevision`. */
  readonly movesFrom?: string;
  /** Records the run as pending for a holder that has this agent revision, and does not start it. */
  readonly leftFor?: string;
}

/** The part of the session that the caller does not have. */
export interface SessionSnapshot {
  /** Distinguishes sessions that had the same id one after the other. */
  readonly incarnation: string;
  readonly revision: number;
  /**
   * In order: those after `haveRevision`; if `complete`, all of them, or all that the session's history start includes.
   * The newest is always included.
   */
  readonly events: readonly StoredEvent[];
  /** The caller must drop its cache: `events` does not continue it. */
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
      /** The session before the run: without the event of `opening`. */
      readonly snapshot: SessionSnapshot;
      /** Whether the request's `opening` is stored, as the event after the snapshot's newest. */
      readonly opened: boolean;
      /**
       * Resolves when the start of the run is durable, so that a power failure cannot undo it. Only set if the request
       * has `returnOnCommit` and the start is not durable already. Its rejection need not be handled.
       */
      readonly durable?: Promise<void>;
    }
  /** The run is recorded as pending; call begin again with the same id once `behind` has ended. */
  | { readonly kind: "queued"; readonly run: RunRecord; readonly behind: string }
  /** The run (or the one with the same idempotency key) was begun before: it has ended, or another holder has it. */
  | { readonly kind: "existing"; readonly run: RunRecord };

export interface AppendEventsRequest {
  readonly lease: Lease;
  readonly leaseMs: number;
  /** Newest sequence the writer knows of. */
  readonly afterRevision: number;
  /** Complete events in order; at least one. */
  readonly events: readonly EventRecord[];
  /** The history start after these events, given if one of them changes it. */
  readonly historyStart?: HistoryStart;
}

export interface AppendEventsResult {
  readonly lease: Lease;
  readonly revision: number;
  /** The request's events with their sequences, in the request's order. */
  readonly stored: readonly StoredEvent[];
  /**
   * The events that other writers stored after `afterRevision` (state changes from outside the run), in order. Usually
   * empty.
   */
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
  readonly historyStart?: HistoryStart;
}

export interface FinishRunResult {
  readonly run: RunRecord;
  readonly revision: number;
  readonly stored: readonly StoredEvent[];
  readonly missed: readonly StoredEvent[];
}

export interface ListRunsRequest extends TenantScoped {
  readonly session?: SessionKey;
  readonly appName?: string;
  readonly userId?: string;
  /** `awaiting_input` finds the runs that still wait, and not those that a later run has answered. */
  readonly statuses?: readonly RunStatus[];
  readonly pageSize?: number;
  /** The page ends with the run by which the JSON of the runs' requests reaches this size; absent: any size. */
  readonly maxCharacters?: number;
  readonly pageToken?: string;
}

export interface ListRunsResponse {
  /** Newest first. */
  readonly runs: readonly RunRecord[];
  readonly nextPageToken?: string;
}

export interface ListAbandonedRequest {
  /** Only runs that were recorded at least this long ago: a younger run may still be starting at its runner. */
  readonly minAgeMs: number;
  /** Runs of this holder count too, whatever their age and lease: its process was restarted and executes none. */
  readonly holder?: string;
  readonly limit: number;
}

/**
 * Runs, their leases and the events that they write. Each method is one atomic step of the store that keeps the
 * sessions.
 *
 * Fencing: `append`, `finish` and `renew` succeed only under the run's current epoch and holder. Otherwise they throw
 * `LEASE_LOST` and change nothing; they throw `SESSION_NOT_FOUND` if the session was deleted. Repeating a call is
 * harmless: events are recognised by id, and `finish` returns the record of a finished run.
 */
export interface RunJournal {
  /**
   * Takes the session's lease and creates the run's record, or applies the policy if another run holds the lease:
   * `reject` throws `SESSION_BUSY`; `enqueue` returns `queued` (runs start in the order in which they were recorded;
   * `QUEUE_FULL` beyond `maxQueued`); `interrupt` and `rollback` also request cancellation of the active run and end
   * the queued runs as cancelled. For the id of a run that exists: a pending run starts if it is first in the queue; a
   * running one whose lease has expired, or is the caller's own, is recovered with a higher epoch and one more attempt.
   * Throws `SESSION_NOT_FOUND` (unless the request asks to create the session), `SESSION_CLOSED`,
   * `AGENT_REVISION_DIFFERS`, and `RUN_NOT_FOUND` for a request that is limited to runs with a record.
   *
   * A run whose lease has expired keeps its place for `abandonAfterMs`, so that a holder can recover it; after that the
   * next run in the queue ends it as `interrupted` and starts.
   */
  begin(request: BeginRunRequest): Promise<BeginRunResult>;
  /** Stores events with dense sequences, applies their deltas by scope, extends the lease. Throws `SESSION_CLOSED`. */
  append(request: AppendEventsRequest): Promise<AppendEventsResult>;
  /**
   * Stores the last events, sets the final status and releases the lease, in one step. Throws `SESSION_CLOSED` if
   * events are given and the session was closed; without events the run can still end.
   */
  finish(request: FinishRunRequest): Promise<FinishRunResult>;
  /** Extends the lease of a run that writes nothing. */
  renew(lease: Lease, leaseMs: number): Promise<{ readonly lease: Lease; readonly cancelRequested: boolean }>;
  /**
   * Hands the run over to another holder instead of ending it: the run is pending again, first in the queue of its
   * session, and `handovers` counts it. Fenced like `append`; a repeated call throws `LEASE_LOST`.
   */
  release(lease: Lease): Promise<RunRecord>;
  /**
   * Requests the run's end: a pending run is cancelled immediately, a running one gets its flag set. Throws
   * `RUN_NOT_FOUND`, for runs of other tenants too; returns a run that has ended unchanged.
   */
  cancel(runId: string, tenantId?: string): Promise<RunRecord>;
  /** The record, or undefined if the tenant has none. */
  get(runId: string, tenantId?: string): Promise<RunRecord | undefined>;
  /** Runs of one tenant: a session of another one has none. */
  list(request: ListRunsRequest): Promise<ListRunsResponse>;
  /**
   * The positions of the journals of several sessions, in the order of the sessions; undefined for a session that does
   * not exist. One call of the store that reads neither events nor requests, for callers that watch many sessions.
   * Throws `INVALID_FIELD` for more than `MAX_HEADS`.
   */
  getHeads(sessions: readonly SessionKey[]): Promise<readonly (JournalHead | undefined)[]>;
  /**
   * Runs of all tenants that seem to have no holder, oldest first, at most one of each session, the next in its order: running ones
   * whose lease has expired by the store's clock, and pending ones that could start. `begin` with a run's id decides
   * which caller gets it.
   */
  listAbandoned(request: ListAbandonedRequest): Promise<readonly RunRecord[]>;
}
