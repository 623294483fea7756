import type { StoredEvent } from "#kit/events/event-record.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { RunRecord, RunRequest } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { RunOutline, WalkedRuns } from "#ports/sessions/old-runs/old-run-tables.ts";
import type { SessionHead } from "#ports/sessions/session-head.ts";
import type { SessionRead } from "#ports/sessions/session-reads.ts";
import type { IdleHeads, NumberedRuns } from "#ports/sessions/session-tables.ts";
import type { StateScope } from "#ports/sessions/state-scope.ts";
import type { StorageCount, StoredAmounts } from "#ports/storage-limits/storage-limits.ts";
import type { DataOwner } from "#ports/tenants/data-owner.ts";
import type { PlacedItem } from "#ports/tenants/data-pages.ts";
import type { DataDeletion, DataDeletions } from "#ports/tenants/tenant-data.ts";

/**
 * A database on a network that stores sessions, runs and leases: all that such a backend implements. The kit decides
 * (`RunOperations`), repeats attempts and remembers heads (`NetworkRunner`). `Version` is what the database compares to
 * find out whether a head or a count has changed, such as a number in a column.
 */
export interface SessionDatabase<Version> extends DataDeletions {
  attempt(): SessionAttempt<Version>;
  /**
   * An attempt that other writers of the session wait for instead of making it useless. It costs more round trips, so it
   * is asked for after lost attempts only. What `work` commits is stored if it returns a value. Absent where the database
   * has no such queue: attempts are then repeated after pauses.
   */
  inTurn?<T>(
    session: SessionKey,
    work: (attempt: SessionAttempt<Version>) => Promise<T | undefined>,
  ): Promise<T | undefined>;
  ownedSessions(owner: DataOwner): AsyncIterable<SessionKey>;
  /** The owner's sessions, user states and app states, from after the given place on. */
  ownedItems(owner: DataOwner, after: readonly string[] | undefined): AsyncIterable<PlacedItem>;
  /** Deletes the owner's user states and app states. */
  deleteStates(owner: DataOwner): Promise<void>;
}

/** One attempt of one operation. */
export interface SessionAttempt<Version> {
  /** Answers each read by `answers.set`, with one state of heads, states, counts and runs, in as few calls as possible. */
  read(reads: readonly SessionRead[], answers: SessionAnswers<Version>): Promise<void>;
  /**
   * Stores all of the change, or nothing of it: undefined if another writer has changed the head, or a count that the
   * change expects. Otherwise returns the head's new version. The change is undefined if nothing is written.
   */
  commit(change: SessionChange<Version> | undefined): Promise<Version | undefined>;
}

export interface SessionAnswers<Version> {
  set<Kind extends SessionRead["kind"]>(
    read: Extract<SessionRead, { kind: Kind }>,
    answer: AnswerOf<Version>[Kind],
  ): void;
}

export interface AnswerOf<Version> {
  readonly head: NetworkHead<Version> | undefined;
  readonly "shared-state": { readonly app: StateScope; readonly user: StateScope };
  readonly stored: { readonly amounts: StoredAmounts; readonly version: Version } | undefined;
  readonly deletions: readonly DataDeletion[];
  readonly run: RunRecord | undefined;
  readonly "keyed-run": RunRecord | undefined;
  /** Up to the head's revision; fewer events if the session is being deleted. */
  readonly events: readonly StoredEvent[];
  readonly "bounded-events": readonly StoredEvent[];
  /** Whether an event of that id is stored. Events of runs may be left out. */
  readonly "outside-event": boolean;
  readonly sessions: readonly NetworkHead<Version>[];
  readonly runs: NumberedRuns;
  readonly "idle-sessions": IdleHeads;
  readonly "walked-runs": WalkedRuns;
  readonly "run-outlines": readonly RunOutline[];
  readonly "abandoned-runs": readonly RunRecord[];
}

export interface NetworkHead<Version> extends SessionHead {
  /** Undefined for a new session. */
  readonly version: Version | undefined;
  /** The session's own state; undefined if the head was not read for this operation. */
  readonly openState: (() => StateScope) | undefined;
}

/** The writes of one operation, under the condition that the head still has its version. */
export interface SessionChange<Version> {
  /** A session with this key must not exist for `create`. `delete` removes all that belongs to the session, but no counts. */
  readonly kind: "create" | "update" | "delete";
  readonly head: NetworkHead<Version>;
  /** The head as it was read; undefined for a new session. */
  readonly before: SessionHead | undefined;
  readonly events: readonly StoredEvent[];
  /** In their order. */
  readonly runs: readonly RunChange[];
  /** New values of the session's own state, and of states that other sessions share. null removes a value. */
  readonly state: JsonObject;
  readonly app: JsonObject;
  readonly user: JsonObject;
  readonly counts: readonly CountChange<Version>[];
}

export type RunChange =
  /** A run with this id must not exist. */
  | { readonly kind: "insert"; readonly run: RunRecord }
  /** The run's request is the same. */
  | { readonly kind: "update"; readonly run: RunRecord }
  | { readonly kind: "answer"; readonly runId: string; readonly answeredBy: string }
  /** The run has ended. Its idempotency key goes with it. */
  | { readonly kind: "delete"; readonly run: RunOutline };

export interface CountChange<Version> {
  readonly count: StorageCount;
  /** Added to the stored amounts. */
  readonly change: StoredAmounts;
  /** The required version of the stored count; any if absent. */
  readonly expect: Version | "missing" | undefined;
}

/** The request in a head of a run whose request was not read (`HeadRead.runId`). No operation returns it. */
export const UNREAD_REQUEST: RunRequest = Object.freeze({});
