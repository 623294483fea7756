import type { StoredEvent } from "#kit/events/event-record.ts";
import type { LoadBound } from "#kit/sessions/load-bound.ts";
import type { RunRecord, RunStatus } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { SessionHead } from "#kit/sessions/session-head.ts";
import type { ScopeName } from "#kit/sessions/session-limits.ts";
import type { ScopedDelta } from "#kit/sessions/state-delta.ts";
import type { StateScope } from "#kit/sessions/state-scope.ts";

export interface SessionScopes {
  readonly app: StateScope;
  readonly user: StateScope;
  readonly session: StateScope;
}

/** Which events a page may hold; it ends with the event by which `maxCharacters` of JSON is reached. */
export interface EventPageRequest {
  readonly afterRevision: number;
  /** Only events with a timestamp at or after this one. */
  readonly afterTimestamp: number;
  readonly limit?: number;
  readonly maxCharacters: number;
}

export interface EventPage {
  readonly events: readonly StoredEvent[];
  /** Whether later events may fit the request. */
  readonly hasMore: boolean;
  /** The sequence behind which the next page begins. */
  readonly last: number;
}

export interface ListPosition {
  readonly lastUpdateTime: number;
  readonly id: string;
}

export interface RunFilter {
  readonly session?: SessionKey;
  readonly appName?: string;
  readonly userId?: string;
  readonly statuses?: readonly RunStatus[];
}

/** A run's place in the order in which runs were recorded. */
export interface NumberedRun {
  readonly number: number;
  readonly run: RunRecord;
}

/**
 * What `TabularSessionStore` needs of a store that answers at once. Methods that write are called inside one atomic step and
 * after all checks; a head is changed first and saved then.
 */
export interface SessionTables<Head extends SessionHead> {
  find(key: SessionKey): Head | undefined;
  /** An open session without events or runs, saved. */
  create(key: SessionKey, lastUpdateTime: number): Head;
  /** Keeps revision, times, epoch and the lease's expiry. The active run and the queue are kept by `insertRun` and `updateRun`. */
  save(head: Head): void;
  /** Changes the head's load bound and keeps it. */
  saveLoadBound(head: Head, bound: LoadBound | undefined): void;
  /** Removes the session, its events, state and runs. */
  delete(head: Head): void;
  /** Newest update first, equal times by id, from behind the position on. Leaves out ids with the prefix. */
  list(owner: Omit<SessionKey, "id">, options: ListOptions): readonly Head[];

  scopes(head: Head): SessionScopes;
  /** A scope, of a session that may not be there yet; undefined where it cannot be known without another read. */
  knownScope(name: ScopeName, key: SessionKey, head: Head | undefined): StateScope | undefined;
  /** Applies the parts of a delta to the scopes and keeps them. */
  applyDelta(head: Head, delta: ScopedDelta): void;

  /** `outside` marks an event that no run wrote. */
  insertEvent(head: Head, event: StoredEvent, outside: boolean): void;
  /** Events with a greater sequence, in order. */
  events(head: Head, afterRevision: number, limit?: number): readonly StoredEvent[];
  /** Some events with a greater sequence, in order, and none that the request leaves out. */
  eventPage(head: Head, request: EventPageRequest): EventPage;
  /** The events that the bound asks for, in order. */
  boundedEvents(head: Head, bound: LoadBound): readonly StoredEvent[];
  /** Whether an event of that id is stored. Events of runs may be passed over. */
  hasEvent(head: Head, eventId: string): boolean;

  insertRun(head: Head, run: RunRecord): void;
  updateRun(head: Head, run: RunRecord): void;
  /** Keeps that the run, which has ended, was answered by another one. The head's list of waiting runs is changed by the caller. */
  saveAnswer(head: Head, runId: string, answeredBy: string): void;
  findRun(runId: string): RunRecord | undefined;
  findRunByIdempotencyKey(head: Head, idempotencyKey: string): RunRecord | undefined;
  /** Those that `isListed` allows, newest first, from before the given number on. */
  listRuns(filter: RunFilter, before: number | undefined, limit: number | undefined): readonly NumberedRun[];
  /** What `findAbandoned` finds in each session, oldest first. */
  listAbandoned(options: AbandonedOptions): readonly RunRecord[];
}

export interface AbandonedOptions {
  readonly now: number;
  /** Only runs that were recorded by then. */
  readonly recordedUntil: number;
  readonly limit: number;
}

export interface ListOptions {
  readonly hiddenIdPrefix: string;
  readonly after?: ListPosition;
  readonly limit?: number;
}

/** How a store runs steps: a write is atomic and durable when its promise resolves; a step that throws changes nothing. */
export interface StepRunner {
  read<T>(step: () => T): Promise<T>;
  write<T>(step: () => T): Promise<T>;
}
