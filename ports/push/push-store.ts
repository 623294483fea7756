import { USER_PREFIX } from "#kit/a2a/conversion/metadata-keys.ts";
import { tenantKey } from "#kit/names/tenant.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { DeletableData } from "#ports/tenants/tenant-data.ts";

/** A task: the id of its first run, and the session that is its context. */
export interface PushTask {
  readonly taskId: string;
  readonly session: SessionKey;
}

/** Where a client wants to be notified of a task's updates, and the secrets that a notification carries. */
export interface PushTarget {
  /** The client's id for it, unique within the task. */
  readonly id: string;
  readonly url: string;
  readonly token?: string | undefined;
  readonly authentication?: PushAuthentication | undefined;
}

export interface PushAuthentication {
  readonly scheme: string;
  readonly credentials?: string | undefined;
}

/** The part of the task that the receiver has, by its runs and stored events. */
export interface PushPlace {
  readonly runId: string;
  /** Sequence of the newest event whose updates the receiver has; the run's events begin after its `baseRevision`. */
  readonly sequence: number;
  /** Whether the receiver has a status that the run's work set. */
  readonly isBegun: boolean;
  /** Whether the receiver has the run's last status. */
  readonly isAtEnd: boolean;
}

/** How far a delivery is. */
export interface PushState {
  readonly place: PushPlace;
  /** Failures since the last notification that arrived. */
  readonly failures: number;
  /** When the first of them was. */
  readonly failingSinceMs?: number | undefined;
  /** Nothing more is delivered: the task has ended, or the receiver was given up. */
  readonly isOver: boolean;
}

/** The protocol version whose messages the receiver gets. */
export type PushVersion = "1.0" | "0.3";

export interface NewPush {
  readonly task: PushTask;
  readonly target: PushTarget;
  readonly version: PushVersion;
  readonly state: Pick<PushState, "place" | "isOver">;
  /** When a new delivery is due; of one that is over, when it is removed. */
  readonly dueMs: number;
  readonly nowMs: number;
}

/** A delivery that is due, without its content. */
export interface DuePush {
  /** The delivery's name in the store. */
  readonly key: string;
  /** In milliseconds since the epoch; the end of the lease for a delivery in progress. */
  readonly dueMs: number;
  /** The payer, as `payerOf` names it, and the host that is called. A deliverer limits both. */
  readonly payer: string;
  readonly host: string;
}

/** A delivery that this process may make until its lease ends. */
export interface TakenPush extends PushState {
  readonly key: string;
  readonly lease: string;
  readonly task: PushTask;
  readonly target: PushTarget;
  readonly version: PushVersion;
}

/** What happened to a notification: it arrived, it will be sent again, or its receiver was given up. */
export type PushOutcome = "delivered" | "failed" | "given_up";

/** For whom a delivery counts: the user of its session. All callers without a name are one. */
export function payerOf({ tenantId, userId }: Pick<SessionKey, "tenantId" | "userId">): string {
  return tenantKey(userId.startsWith(USER_PREFIX) ? USER_PREFIX : userId, tenantId);
}

/** The most targets of one task, and of all tasks of one user. */
export const MAX_TARGETS_OF_TASK = 16;
export const MAX_TARGETS_OF_USER = 1_000;

/**
 * The targets of push notifications and how far each delivery is. The stored events of a task are what is sent, so
 * nothing is stored for each notification. For example, a deliverer:
 *
 *     for (const due of await store.listDue(100)) {
 *       const push = await store.take(due, clock.now() + 30_000);
 *       if (push !== undefined) await store.release(push, await deliver(push), nextMs);
 *     }
 */
export interface PushStore extends DeletableData {
  /**
   * Adds the target, or replaces the one with its id, whose delivery continues where it is and is due now. Throws
   * `TOO_MANY_PUSH_TARGETS`.
   */
  save(push: NewPush): Promise<void>;
  get(task: PushTask, id: string): Promise<PushTarget | undefined>;
  /** In the order of their ids' digests: at most `MAX_TARGETS_OF_TASK`. */
  list(task: PushTask): Promise<readonly PushTarget[]>;
  /** A target that does not exist is not an error. */
  delete(task: PushTask, id: string): Promise<void>;
  deleteSession(session: SessionKey): Promise<void>;
  /** Makes the deliveries of the task due that wait for its next run. */
  wake(task: PushTask, nowMs: number): Promise<void>;

  /** The first deliveries in the order of their times, with deliveries in progress and future ones. */
  listDue(limit: number): Promise<readonly DuePush[]>;
  /** Leases the delivery until then. Undefined if it was deleted, or another process has it. */
  take(due: DuePush, untilMs: number): Promise<TakenPush | undefined>;
  /** Moves deliveries to a later time without taking them. Those that change meanwhile stay. */
  postpone(due: readonly DuePush[], toMs: number): Promise<void>;
  /** Stores how far the delivery is, with a longer lease if given. Returns false if this process has lost the delivery. */
  put(push: TakenPush, state: PushState, untilMs?: number): Promise<boolean>;
  /** The same, and gives the lease back: the delivery is due again then. */
  release(push: TakenPush, state: PushState, dueMs: number): Promise<boolean>;
  /** Removes the delivery and its target. */
  remove(push: TakenPush): Promise<void>;
}
