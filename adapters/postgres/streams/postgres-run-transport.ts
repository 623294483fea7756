import { type Logger, silentLogger } from "#kit/platform/logger.ts";
import type { RunTransport } from "#ports/runs/run-transport.ts";
import type { PostgresDatabase } from "../database/postgres-database.ts";
import { PostgresEndedSessions } from "./postgres-ended-sessions.ts";
import { PostgresIdempotencyStore } from "./postgres-idempotency-store.ts";
import { PostgresQuotaLedger } from "./postgres-quota-ledger.ts";
import { PostgresRunNotifications } from "./postgres-run-notifications.ts";
import { PostgresRunQuota } from "./postgres-run-quota.ts";
import { PostgresRunStream, type PostgresRunStreamOptions } from "./postgres-run-stream.ts";
import { PostgresTraceStore } from "./postgres-trace-store.ts";
import type { PostgresSignals } from "./signals.ts";

export interface PostgresRunTransportOptions extends Pick<PostgresRunStreamOptions, "idleCheckMs" | "maxBytesPerRun"> {
  /** The caller closes both, after the transport. */
  readonly database: PostgresDatabase;
  readonly signals: PostgresSignals;
  readonly logger?: Logger | undefined;
}

/** Everything that runs need between processes, in one database. Disposing it ends all readers. */
export function createPostgresRunTransport(
  options: PostgresRunTransportOptions,
): Required<RunTransport> & AsyncDisposable {
  const stack = new AsyncDisposableStack();
  stack.use(emptySlots(options));
  return {
    runStream: stack.use(new PostgresRunStream(options)),
    traceStore: new PostgresTraceStore(options),
    idempotencyStore: new PostgresIdempotencyStore(options),
    endedSessions: new PostgresEndedSessions(options),
    runNotifications: stack.use(new PostgresRunNotifications(options)),
    runQuota: stack.use(new PostgresRunQuota(options)),
    quotaLedger: stack.use(new PostgresQuotaLedger(options)),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Several times in each slot of the shortest ring. */
const EMPTY_MS = 60_000;

export interface SlotsOptions {
  readonly database: PostgresDatabase;
  readonly logger?: Logger | undefined;
}

/** Drops what has expired, until disposed of. Processes that do the same at the same time do not wait for each other. */
export function emptySlots({ database, logger = silentLogger }: SlotsOptions): Disposable {
  const empty = (): void => {
    database
      .read("SELECT fairlead.empty_next_slots()")
      .catch((error: unknown) => logger.debug({ error }, "expired data of the transport was not dropped"));
  };
  const timer = setInterval(empty, EMPTY_MS).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
