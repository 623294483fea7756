import { PlatformError } from "#kit/errors/platform-error.ts";
import { type Clock, systemClock } from "#kit/platform/clock.ts";
import { type IdGenerator, UuidV7Generator } from "#kit/platform/id-generator.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import type { RunnerOptions } from "#kit/runs/base/runner-options.ts";
import { SessionCache } from "#kit/runs/base/session-cache.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import type { SessionService } from "#kit/sessions/session-service.ts";
import { InMemorySessionStore } from "#kit/sessions/tables/in-memory-session-store.ts";

const DEFAULT_LEASE_MS = 10_000;

type Defaulted =
  | "sessionService"
  | "journal"
  | "clock"
  | "ids"
  | "logger"
  | "captureContent"
  | "errorDetail"
  | "sessionCache"
  | "holder"
  | "leaseMs";

export type CompleteRunnerOptions = RunnerOptions & Required<Pick<RunnerOptions, Defaulted>>;

/** Fills in the defaults. Throws `SERVICE_MISSING`. */
export function completeRunnerOptions(options: RunnerOptions): CompleteRunnerOptions {
  const clock = options.clock ?? systemClock;
  const ids = options.ids ?? new UuidV7Generator();
  return {
    ...options,
    ...storesOf(options, clock, ids),
    clock,
    ids,
    logger: options.logger ?? silentLogger,
    captureContent: options.captureContent ?? false,
    errorDetail: options.errorDetail ?? "generic",
    sessionCache: options.sessionCache ?? new SessionCache(),
    holder: options.holder ?? ids.next(),
    leaseMs: options.leaseMs ?? DEFAULT_LEASE_MS,
  };
}

function storesOf(
  { journal, sessionService }: RunnerOptions,
  clock: Clock,
  ids: IdGenerator,
): { sessionService: SessionService; journal: RunJournal } {
  if (journal !== undefined && sessionService !== undefined) return { journal, sessionService };
  if (journal !== undefined || sessionService !== undefined) {
    throw new PlatformError("SERVICE_MISSING", "Pass both sessionService and journal to the runner, or neither.");
  }
  const store = new InMemorySessionStore({ clock, ids });
  return { sessionService: store, journal: store };
}
