import type { PostgresDatabase } from "#adapters/postgres/database/postgres-database.ts";
import type { PostgresSignals } from "#adapters/postgres/streams/signals.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { PartStates } from "../health/readiness.ts";
import type { MetricRegistry } from "../metrics/metric-registry.ts";
import type { PeerMetrics } from "../metrics/peer-metrics.ts";
import { openPostgres, type PostgresConfig } from "../stores/open-postgres.ts";
import { addPostgresMetrics } from "./postgres-metrics.ts";

export interface PostgresPlaceContext {
  readonly config: PostgresConfig;
  readonly logger: Logger;
  readonly registry: MetricRegistry;
  readonly peers: PeerMetrics;
  readonly readiness?: PartStates | undefined;
  /** Closes the connections. */
  readonly stack: AsyncDisposableStack;
}

/** The pool that the stores of a process share, and its two direct connections for signals. */
export interface PostgresPlace {
  readonly database: PostgresDatabase;
  readonly signals: PostgresSignals;
}

/** Throws `CONFIGURATION` for an address that cannot be used. The server may not be reachable yet. */
export async function openPostgresPlace(context: PostgresPlaceContext): Promise<PostgresPlace> {
  const { config, logger, registry, peers, readiness, stack } = context;
  const database = await openPostgres({ config, stack });
  const { PostgresSignals } = await import("#adapters/postgres/streams/signals.ts");
  const isOwn = config.DATABASE_DIRECT_URL !== "";
  const connection = {
    url: isOwn ? config.DATABASE_DIRECT_URL : config.DATABASE_URL,
    passwordFile: config.DATABASE_PASSWORD_FILE || undefined,
    caFile: config.DATABASE_CA_FILE || undefined,
  };
  const address = { connection, name: isOwn ? "DATABASE_DIRECT_URL" : "DATABASE_URL" };
  const signals = stack.use(await PostgresSignals.open(address, { schema: config.DATABASE_SCHEMA, logger }));
  addPostgresMetrics(registry, { database, signals });
  peers.watch("postgres", () => signals.isHearing);
  // As with Redis: a server that was never reached is more likely a mistake in the settings than an outage.
  readiness?.waitFor("postgres");
  signals.add({ receive: () => {}, hear: (isHearing) => isHearing && readiness?.ready("postgres") });
  return { database, signals };
}
