import type { RunMeter } from "#kit/budget/run-meter.ts";
import type { App } from "#kit/core/app.ts";
import type { InvocationServices } from "#kit/core/context/invocation-context.ts";
import type { LiveRequestQueue } from "#kit/core/context/live-request-queue.ts";
import type { RunConfig } from "#kit/core/context/run-config.ts";
import type { PlatformError } from "#kit/errors/platform-error.ts";
import type { Event } from "#kit/events/event.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { SessionService } from "#kit/sessions/session-service.ts";
import type { RunTrace } from "#kit/telemetry/run-trace.ts";
import type { EventWriter } from "./event-writer.ts";
import type { CachedSession } from "./session-cache.ts";

/** The result of an attempt to renew a lease: `failed` is retried, `lost` ends the run here. */
export type LeaseOutcome = "renewed" | "failed" | "lost";

/** A run that holds its session's lease and is ready to be executed once. */
export interface StartedRun {
  readonly record: RunRecord;
  readonly app: App;
  readonly runConfig: RunConfig;
  readonly cached: CachedSession;
  readonly writer: EventWriter;
  /** The run's first event, if it was stored with the run's begin. */
  readonly opening?: Event | undefined;
  /** The former agent revision, if this begin has moved the run or its session to another. */
  readonly movedFrom?: string | undefined;
  /**
   * Resolves when the start of the run is durable, so that a power failure cannot undo it; absent if it is durable
   * already. Its rejection need not be handled.
   */
  readonly durable?: Promise<void> | undefined;
  readonly services: InvocationServices;
  readonly trace: RunTrace;
  /** Counts what the run uses of models; only if it has a budget. */
  readonly meter?: RunMeter | undefined;
  readonly leaseMs: number;
  /** Called with the result of each renewal of the lease. Must not throw. */
  readonly onLease?: ((outcome: LeaseOutcome) => void) | undefined;
  /** The client's side of a live connection: the run then ends when the connection is closed. */
  readonly liveRequestQueue?: LiveRequestQueue | undefined;
  /** Data that callbacks and plugins share during the run. */
  readonly callbackContextData: Map<string, unknown>;
  /** For reads and writes besides the run's own events. */
  readonly journal: RunJournal;
  readonly sessionService: SessionService;
  /** Called once, when the run's end is stored: caches the session for the next run and notifies queued runs. */
  readonly release: () => void;
  /** Ends the run; its reason decides the run's status. */
  readonly abort: AbortController;
  /** Why the execution failed here, for a caller in this process; the record has only what clients may see. */
  readonly ending: { failure?: PlatformError };
}
