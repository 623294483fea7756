import type { LeaseOutcome } from "#kit/runs/base/started-run.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { SpanRecord } from "#kit/telemetry/span.ts";
import type { RowTotals } from "./analytics-totals.ts";

/** Observes the runs that this runner executes. Calls are synchronous and must not throw. */
export interface RunObserver {
  runStarted(appName: string): void;
  runEnded(end: ObservedEnd): void;
  /** Reports the outcome of a lease renewal. */
  leaseKept?(outcome: LeaseOutcome): void;
  /** Reports that this runner has recovered a run. */
  runRecovered?(how: RecoveryKind): void;
  /** Called once with the function that reads the load at each scrape. */
  watchLoad?(read: () => RunnerLoad): void;
  /** Called once with the function that reads the rows of analytics; it returns undefined while no app has any. */
  watchAnalytics?(read: () => RowTotals | undefined): void;
}

export interface ObservedEnd {
  readonly appName: string;
  /** Absent when the run no longer belonged to this runner at its end. */
  readonly record: RunRecord | undefined;
  readonly durationMs: number;
  readonly spans: readonly SpanRecord[];
}

/**
 * The kind of a recovered run: `started` was only queued, `handed-over` was handed over by its runner, `resumed` had
 * lost its runner, and `exhausted` had lost too many and is ended.
 */
export type RecoveryKind = "started" | "handed-over" | "resumed" | "exhausted";

export interface RunnerLoad {
  readonly busySlots: number;
  /** Runs that wait for their session or for a slot. */
  readonly queued: number;
  readonly oldestQueuedMs: number;
}
