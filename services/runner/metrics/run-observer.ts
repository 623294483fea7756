import type { LeaseOutcome } from "#kit/runs/base/started-run.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { SpanRecord } from "#kit/telemetry/span.ts";

/** Told of each run that this runner executes. Calls are synchronous and must not throw. */
export interface RunObserver {
  runStarted(appName: string): void;
  runEnded(end: ObservedEnd): void;
  /** How a lease was kept. */
  leaseKept?(outcome: LeaseOutcome): void;
  /** A run was taken up that nobody executed. */
  runTakenUp?(how: TakeUpKind): void;
  /** Given once: what to ask when somebody wants to know. */
  watchLoad?(read: () => RunnerLoad): void;
}

export interface ObservedEnd {
  readonly appName: string;
  /** Absent when the run no longer belonged to this runner at its end. */
  readonly record: RunRecord | undefined;
  readonly durationMs: number;
  readonly spans: readonly SpanRecord[];
}

/**
 * Of a run that is taken up: `started` had only waited, `handed-over` was given up in good order, `resumed` had lost its runner, and
 * `exhausted` had lost too many and is ended.
 */
export type TakeUpKind = "started" | "handed-over" | "resumed" | "exhausted";

export interface RunnerLoad {
  readonly busySlots: number;
  /** Runs in line for their session, or for a slot. */
  readonly queued: number;
  readonly oldestQueuedMs: number;
}
