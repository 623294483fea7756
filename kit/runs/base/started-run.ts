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

/** The result of an attempt to keep a lease: `failed` may pass, `lost` ends the run here. */
export type LeaseOutcome = "renewed" | "failed" | "lost";

/** A run that holds its session's lease and is ready to be executed, once. */
export interface StartedRun {
  readonly record: RunRecord;
  readonly app: App;
  readonly runConfig: RunConfig;
  readonly cached: CachedSession;
  readonly writer: EventWriter;
  /** The event that the run begins with, when it was stored with the run's begin. */
  readonly opening?: Event;
  readonly services: InvocationServices;
  readonly trace: RunTrace;
  readonly leaseMs: number;
  /** Told how the run's lease is kept. Must not throw. */
  readonly onLease?: (outcome: LeaseOutcome) => void;
  /** The client's side of a live connection: the run then lives until it is closed. */
  readonly liveRequestQueue?: LiveRequestQueue;
  /** What callbacks and plugins keep for one another during the run. */
  readonly callbackContextData: Map<string, unknown>;
  /** For what is asked of the store besides the run's own events. */
  readonly journal: RunJournal;
  readonly sessionService: SessionService;
  /** Called once, when the run's end is stored: keeps the session for the next run and lets those behind know. */
  readonly release: () => void;
  /** Ends the run; the reason says how. */
  readonly abort: AbortController;
  /** Why the execution failed here, for a caller in this process; the record has only what clients may see. */
  readonly ending: { failure?: PlatformError };
}
