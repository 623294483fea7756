import type { StoredEvent } from "#kit/events/event-record.ts";
import type { TenantScoped } from "#kit/names/tenant.ts";
import type { HistoryStart } from "#kit/sessions/history-start.ts";
import type { RunRecord, RunStatus } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { ScopedDelta } from "#kit/sessions/state-delta.ts";
import type { StoredCounts } from "#ports/storage-limits/stored-counts.ts";
import type { DataOwner } from "#ports/tenants/data-owner.ts";
import type { PlacedItem } from "#ports/tenants/data-pages.ts";
import type { IdleSession } from "#ports/tenants/idle-sessions.ts";
import type { DataDeletion, DeleteDataResponse } from "#ports/tenants/tenant-data.ts";
import type { OldRunTables } from "./old-runs/old-run-tables.ts";
import type { PagePosition } from "./page-token.ts";
import type { SessionHead } from "./session-head.ts";
import type { ScopeName } from "./session-limits.ts";
import type { StateScope } from "./state-scope.ts";

/** The data of a tenant, or of one of its users, in the tables. */
export interface OwnedTables {
  /** The owner's sessions, user states and app states, from after the given place on. */
  ownedItems(owner: DataOwner, after: readonly string[] | undefined): Iterable<PlacedItem>;
  /**
   * Deletes at most `limit` sessions of the owner, with their counts. The owner's data outside sessions is deleted
   * together with the last session.
   */
  deleteOwned(owner: DataOwner, limit: number): DeleteDataResponse;
  deletions(): readonly DataDeletion[];
  saveDeletion(deletion: DataDeletion): void;
  dropDeletion(owner: DataOwner): void;
}

export interface SessionScopes {
  readonly app: StateScope;
  readonly user: StateScope;
  readonly session: StateScope;
}

/** Which events a page may contain; it ends with the event that reaches `maxCharacters` of JSON. */
export interface EventPageRequest {
  readonly afterRevision: number;
  /** Only events with a timestamp at or after this one. */
  readonly afterTimestamp: number;
  readonly limit?: number | undefined;
  readonly maxCharacters: number;
  /** The page ends before a longer event; any size if absent. */
  readonly maxEventCharacters?: number | undefined;
}

export interface EventPage {
  readonly events: readonly StoredEvent[];
  /** Whether later events may match the request. */
  readonly hasMore: boolean;
  /** The sequence after which the next page begins. */
  readonly last: number;
  /** The size of the next event, if it is longer than `maxEventCharacters`. */
  readonly longEventCharacters?: number;
}

export interface ListPosition {
  readonly lastUpdateTime: number;
  readonly id: string;
}

export interface RunFilter extends TenantScoped {
  readonly session?: SessionKey;
  readonly appName?: string;
  readonly userId?: string;
  readonly statuses?: readonly RunStatus[];
}

/** Which runs of a list are wanted: those before a place, until one of the limits is reached. */
export interface RunsPlace {
  /** A run's number; runs of equal numbers are sorted by id. */
  readonly before: PagePosition | undefined;
  readonly limit: number | undefined;
  readonly maxCharacters: number | undefined;
}

export interface NumberedRuns {
  readonly page: readonly NumberedRun[];
  readonly hasMore: boolean;
}

/** A run with its number in the order of recorded runs, such as its time. */
export interface NumberedRun {
  readonly number: number;
  readonly run: RunRecord;
}

/**
 * The tables on which the operations of a store decide. Methods that return stored data are called after the operation
 * has declared the read (`SessionRead`); a synchronous store reads at that time. Methods that write are called after all
 * checks; a head is changed first and then saved.
 */
export interface SessionTables<Head extends SessionHead> extends StoredCounts, OwnedTables {
  readonly oldRuns: OldRunTables<Head>;
  find(key: SessionKey): Head | undefined;
  /** Creates and saves an open session without events or runs. */
  create(key: SessionKey, lastUpdateTime: number): Head;
  /**
   * Saves revision, times, epoch, the lease's expiry and what is stored. `insertRun` and `updateRun` save the active run and the queue.
   */
  save(head: Head): void;
  /** Changes and saves the head's history start. */
  saveHistoryStart(head: Head, bound: HistoryStart | undefined): void;
  /** Removes the session, its events, state and runs. */
  delete(head: Head): void;
  /** Newest update first, equal times by id, after the position. Excludes ids with the prefix. */
  list(owner: Omit<SessionKey, "id">, options: ListOptions): readonly Head[];

  scopes(head: Head): SessionScopes;
  /** A scope, possibly of a session that does not exist yet; undefined if only another read can determine it. */
  knownScope(name: ScopeName, key: SessionKey, head: Head | undefined): StateScope | undefined;
  /** Applies the parts of a delta to the scopes and saves them. */
  applyDelta(head: Head, delta: ScopedDelta): void;

  insertEvent(head: Head, event: StoredEvent): void;
  /** Events with a greater sequence, in order. */
  events(head: Head, afterRevision: number, limit?: number): readonly StoredEvent[];
  /** Events with a greater sequence, in order, without those that the request excludes; not necessarily all of them. */
  eventPage(head: Head, request: EventPageRequest): EventPage;
  /** The events that the bound includes, in order. */
  boundedEvents(head: Head, bound: HistoryStart): readonly StoredEvent[];
  /** Whether an event of that id is stored. May ignore events of runs. */
  hasEvent(head: Head, eventId: string): boolean;

  /** Returns the bytes of the JSON of the run's request. */
  insertRun(head: Head, run: RunRecord): number;
  updateRun(head: Head, run: RunRecord): void;
  /** Records that the ended run was answered by another one. The caller changes the head's list of waiting runs. */
  saveAnswer(head: Head, runId: string, answeredBy: string): void;
  /** The run of that id in the tenant. */
  findRun(runId: string, tenant: TenantScoped): RunRecord | undefined;
  findRunByIdempotencyKey(head: Head, idempotencyKey: string): RunRecord | undefined;
  /** The tenant's runs that `isListed` allows, newest first, from before the place. */
  listRuns(filter: RunFilter, place: RunsPlace): NumberedRuns;
  /** Looks at the next `limit` sessions of all tenants, and returns those that were updated before the time. */
  listIdle(options: IdleOptions): IdleHeads;
  /** The result of `findAbandoned` for each session of all tenants, oldest first. */
  listAbandoned(options: AbandonedOptions): readonly RunRecord[];
}

export interface AbandonedOptions {
  readonly now: number;
  /** Only runs that were recorded at or before this time. */
  readonly recordedUntil: number;
  /** The runs of this holder too, whenever they were recorded. */
  readonly holder?: string | undefined;
  readonly limit: number;
}

export interface IdleOptions {
  readonly updatedBefore: number;
  /** Absent: from the first session on. */
  readonly after: PagePosition | undefined;
  readonly limit: number;
}

export interface IdleHeads {
  readonly sessions: readonly IdleSession[];
  /** The last session that was looked at, if there may be more. */
  readonly last: PagePosition | undefined;
}

export interface ListOptions {
  readonly hiddenIdPrefix: string;
  readonly after?: ListPosition | undefined;
  readonly limit?: number | undefined;
  /** The list may end after the session that follows the one by which the own state of its sessions reaches this size. */
  readonly maxCharacters?: number | undefined;
}
