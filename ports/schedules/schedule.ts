import type { Content } from "#kit/events/content.ts";
import type { TenantScoped } from "#kit/names/tenant.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { Timing } from "./cron-times.ts";

/** The treatment of a tick while a run of the schedule has not ended: it is left out, waits for the end, or starts too. */
export const OVERLAPS = ["skip", "queue", "allow"] as const;
export type Overlap = (typeof OVERLAPS)[number];

/** Which ticks start that passed while no gateway could start them: none, the newest, or all, at most `MAX_LATE_TICKS`. */
export const CATCH_UPS = ["none", "one", "all"] as const;
export type CatchUp = (typeof CATCH_UPS)[number];

/** The credentials of the schedule's maker. Each tick is held to them. */
export interface ScheduleOwner {
  readonly keyId?: string | undefined;
  readonly groups: readonly string[];
  /** The only apps that the caller's credentials allowed. */
  readonly apps?: readonly string[] | undefined;
}

/** The part of a schedule that its user decides. */
export interface ScheduleSettings {
  readonly name?: string | undefined;
  readonly timing: Timing;
  readonly newMessage: Content;
  readonly stateDelta?: JsonObject | undefined;
  /** The session of all runs; a new one for each if absent. */
  readonly sessionId?: string | undefined;
  readonly overlap: Overlap;
  readonly catchUp: CatchUp;
  readonly enabled: boolean;
}

/** The outcome of a tick. */
export interface TickRecord {
  /** When it was due; of a run that was started by hand, when that was. Of several ticks, the newest. */
  readonly tickMs: number;
  readonly outcome: "started" | "skipped" | "missed" | "failed";
  readonly runId?: string | undefined;
  readonly sessionId?: string | undefined;
  /** When it was decided. */
  readonly timeMs: number;
  /** Of a failure. */
  readonly reason?: string | undefined;
  /** How many missed ticks it stands for, at least: those that are older than the newest `MAX_LATE_TICKS` count as one. */
  readonly count?: number | undefined;
  /** Whether it was started by hand, between ticks. */
  readonly isByHand?: boolean | undefined;
}

export interface Schedule extends ScheduleSettings, TenantScoped {
  readonly id: string;
  readonly appName: string;
  readonly userId: string;
  /** Whether a user made it, or the app's definition. */
  readonly source: "user" | "app";
  readonly owner: ScheduleOwner;
  readonly createdMs: number;
  readonly updatedMs: number;
  /** The first tick that nothing has been decided of. Absent while it is paused, and after its last one. */
  readonly nextMs?: number | undefined;
  /** Ticks until then were seen while a run was active: they wait, and were not missed. */
  readonly seenMs?: number | undefined;
  /** Failures in a row to start the next tick. */
  readonly failures?: number | undefined;
  /** The newest first. */
  readonly lastTicks: readonly TickRecord[];
}

/** How many ticks a schedule remembers, with their runs. */
export const MAX_LAST_TICKS = 10;
/** The most late ticks that start, and the most ticks that wait for a run. */
export const MAX_LATE_TICKS = 100;

/** The schedule with one more record; a run that is known already is not added again. */
export function withTick(schedule: Schedule, record: TickRecord): Schedule {
  const { lastTicks } = schedule;
  if (record.runId !== undefined && lastTicks.some(({ runId }) => runId === record.runId)) return schedule;
  return { ...schedule, lastTicks: [record, ...lastTicks].slice(0, MAX_LAST_TICKS) };
}
