import type { TenantScoped } from "#kit/names/tenant.ts";
import type { TenantData } from "#ports/tenants/tenant-data.ts";
import type { Schedule, TickRecord } from "./schedule.ts";

export interface ScheduleKey extends TenantScoped {
  readonly scheduleId: string;
}

export interface ListSchedulesRequest extends TenantScoped {
  /** All users if absent, as with `appName`. */
  readonly userId?: string | undefined;
  readonly appName?: string | undefined;
  readonly pageSize: number;
  readonly pageToken?: string | undefined;
}

export interface SchedulePage {
  /** In the order of their ids. A page may be short although more follow. */
  readonly schedules: readonly Schedule[];
  /** Absent on the last page. */
  readonly nextPageToken?: string | undefined;
}

/** A schedule that has a time, without its content. */
export interface DueSchedule {
  /** The schedule's name in the store. */
  readonly key: string;
  /** In milliseconds since the epoch; the end of the lease of one that a process has. */
  readonly dueMs: number;
}

/** A schedule that this process may decide about until its lease ends. */
export interface TakenSchedule {
  readonly key: string;
  readonly lease: string;
  readonly schedule: Schedule;
  /** Whether a process had it whose lease has ended. */
  readonly wasLost: boolean;
}

/** The decision of a process about the ticks that are due. */
export interface Settlement {
  readonly records: readonly TickRecord[];
  readonly nextMs: number | undefined;
  readonly seenMs?: number | undefined;
  readonly failures?: number | undefined;
  /** When the schedule is to be looked at again; the next tick if absent. */
  readonly dueMs?: number | undefined;
}

/**
 * Schedules and their next ticks. For example, a process that starts what is due:
 *
 *     for (const due of await store.listDue(100)) {
 *       const taken = await store.take(due, clock.now() + 30_000);
 *       if (taken !== undefined) await store.settle(taken, await start(taken.schedule));
 *     }
 */
export interface ScheduleStore extends TenantData {
  /** Throws `TOO_MANY_SCHEDULES` if the user has `limit`. False if there is a schedule of this id. */
  create(schedule: Schedule, limit: number): Promise<boolean>;
  get(key: ScheduleKey): Promise<Schedule | undefined>;
  /** Throws `INVALID_CURSOR`. */
  list(request: ListSchedulesRequest): Promise<SchedulePage>;
  /**
   * Stores what `change` returns, unless it returns undefined; it may be called several times. A process that has taken the
   * schedule no longer has it if its next tick differs. Returns the stored schedule; undefined if there is none.
   */
  update(key: ScheduleKey, change: (schedule: Schedule) => Schedule | undefined): Promise<Schedule | undefined>;
  /** Returns whether there was one. */
  delete(key: ScheduleKey): Promise<boolean>;

  /** The first schedules in the order of their times, with those that a process has and future ones. */
  listDue(limit: number): Promise<readonly DueSchedule[]>;
  /** Leases the schedule until then. Undefined if it was deleted or changed, or another process has it. */
  take(due: DueSchedule, untilMs: number): Promise<TakenSchedule | undefined>;
  /**
   * Stores what was decided, and gives the lease back. If this process no longer has the schedule, its runs are added and
   * nothing else.
   */
  settle(taken: TakenSchedule, settlement: Settlement): Promise<void>;
}
