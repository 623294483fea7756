import { utcMonthStart } from "#kit/platform/iso-time.ts";

/**
 * The time over which a quota counts. Minutes, days and months are those of UTC, and a count begins again with each.
 * `now` counts only what is reserved at this moment.
 */
export type QuotaWindow = "minute" | "day" | "month" | "now";

/** The windows of a fixed length, in ms. */
export const FIXED_WINDOW_MS = { minute: 60_000, day: 86_400_000 } as const;

export interface WindowBounds {
  readonly startMs: number;
  /** Infinity for `now`. */
  readonly endMs: number;
}

/** The window that contains the time. */
export function windowAt(window: QuotaWindow, timeMs: number): WindowBounds {
  if (window === "now") return { startMs: 0, endMs: Number.POSITIVE_INFINITY };
  if (window === "month") return { startMs: utcMonthStart(timeMs), endMs: utcMonthStart(timeMs, 1) };
  const lengthMs = FIXED_WINDOW_MS[window];
  const startMs = timeMs - (timeMs % lengthMs);
  return { startMs, endMs: startMs + lengthMs };
}
