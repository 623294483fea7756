import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { SpanRecord } from "#kit/telemetry/span.ts";

/** Told of each run that this runner executes. Calls are synchronous and must not throw. */
export interface RunObserver {
  runStarted(appName: string): void;
  runEnded(end: ObservedEnd): void;
}

export interface ObservedEnd {
  readonly appName: string;
  /** Absent when the run no longer belonged to this runner at its end. */
  readonly record: RunRecord | undefined;
  readonly durationMs: number;
  readonly spans: readonly SpanRecord[];
}
