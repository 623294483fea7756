import { nextTick, ticksBetween } from "./cron-times.ts";
import { MAX_LATE_TICKS, type Schedule, type TickRecord } from "./schedule.ts";

/** A tick that no gateway has taken for so long was missed. A lease is shorter, and then another gateway takes it. */
export const MISSED_AFTER_MS: number = 2 * 60 * 1000;

export interface TickQuestion {
  readonly schedule: Schedule;
  readonly nowMs: number;
  /** Whether a gateway had taken the next tick and was lost: it can have started the run. */
  readonly isBegun: boolean;
  /** Whether a run of the schedule has not ended. */
  readonly isActive: boolean;
}

export interface TickDecision {
  /** The tick to start now, if there is one. */
  readonly startMs?: number | undefined;
  /** Ticks that do not start. */
  readonly records: readonly TickRecord[];
  /** The first tick after these; absent after the last one. While `isWaiting`, one that is due. */
  readonly nextMs?: number | undefined;
  /** Whether the next tick waits until a run has ended. */
  readonly isWaiting?: boolean;
}

/** Decides about the ticks that are due: a pure function of the schedule and the time. */
export function decideTick({ schedule, nowMs, isBegun, isActive }: TickQuestion): TickDecision {
  const { timing, nextMs: first, catchUp, overlap, seenMs = 0 } = schedule;
  if (first === undefined || first > nowMs) return { nextMs: first, records: [] };
  const after = (tickMs: number) => nextTick(timing, tickMs);
  const missedBefore = nowMs - MISSED_AFTER_MS;
  const isLate = first < missedBefore && first > seenMs && !isBegun;
  const due = isBegun ? [first] : ticksBetween(timing, first, nowMs, MAX_LATE_TICKS);
  const [kept, dropped] = isLate ? split(due, catchUp, missedBefore) : [due, 0];
  // More ticks than may wait, or than are caught up, count as missed too.
  const count = dropped + ((due[0] ?? first) > first ? 1 : 0);
  const missed = { tickMs: due[dropped - 1] ?? first, outcome: "missed", timeMs: nowMs, count } as const;
  const records: readonly TickRecord[] = count > 0 ? [missed] : [];
  const [tickMs] = kept;
  if (tickMs === undefined) return { nextMs: after(Math.max(due.at(-1) ?? first, first)), records };
  if (!isActive || overlap === "allow") return { startMs: tickMs, nextMs: after(tickMs), records };
  if (overlap === "queue") return { nextMs: tickMs, isWaiting: true, records };
  const skipped: TickRecord = { tickMs, outcome: "skipped", timeMs: nowMs };
  return { nextMs: after(tickMs), records: [...records, skipped] };
}

/** The ticks that are started, and how many of the first ones are not. */
function split(
  due: readonly number[],
  catchUp: Schedule["catchUp"],
  missedBefore: number,
): readonly [readonly number[], number] {
  if (catchUp === "all") return [due, 0];
  const late = due.filter((tick) => tick < missedBefore).length;
  const dropped = catchUp === "one" ? Math.max(late - 1, 0) : late;
  return [due.slice(dropped), dropped];
}
