import type { Clock } from "#kit/platform/clock.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { Type } from "#kit/schema/shape.ts";
import { InMemoryIdempotencyStore } from "#ports/idempotency/in-memory-idempotency-store.ts";
import { InMemoryRunStream } from "#ports/runs/in-memory-run-stream.ts";
import { InMemoryTraceStore } from "#ports/runs/in-memory-trace-store.ts";
import type { RunTransport } from "#ports/runs/run-transport.ts";
import type { ConfigOf } from "../config/config-schema.ts";
import type { PartStates } from "../health/readiness.ts";
import type { MetricRegistry } from "../metrics/metric-registry.ts";
import type { PeerMetrics } from "../metrics/peer-metrics.ts";
import type { PostgresConfig } from "../stores/open-postgres.ts";
import { openPostgresPlace } from "./open-postgres-place.ts";
import { openRedisClient } from "./open-quota-ledger.ts";
import { createRedisMetrics } from "./redis-metrics.ts";
import type { redisConfigSchema } from "./redis-settings.ts";

const DESCRIPTION =
  "What carries the streams of runs between processes, and keeps traces, idempotency keys and counts of quotas.";

/** The setting of a process that is the whole server. */
export const transportConfigSchema = Type.Object({
  TRANSPORT: Type.Enum(["memory", "redis", "postgres"], { default: "memory", description: DESCRIPTION }),
});

/** The setting of one process of several, which cannot read streams in the memory of another process. */
export const sharedTransportConfigSchema = Type.Object({
  TRANSPORT: Type.Enum(["redis", "postgres"], { default: "redis", description: DESCRIPTION }),
});

type RunTransportConfig = ConfigOf<typeof transportConfigSchema> & ConfigOf<typeof redisConfigSchema> & PostgresConfig;

/** The transport of a process. */
export interface ProcessTransport extends RunTransport {
  /** Sizes of the data in this process's memory, in bytes and in spans. */
  readonly inMemory?: { readonly bytes: () => number; readonly spans: () => number } | undefined;
}

export interface RunTransportContext {
  readonly config: RunTransportConfig;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly registry: MetricRegistry;
  readonly peers: PeerMetrics;
  /** Given by a process that cannot work before Redis or Postgres was reached once. */
  readonly readiness?: PartStates;
  /** Closes the opened resources. */
  readonly stack: AsyncDisposableStack;
}

/** The transport that the settings name. Redis or Postgres may not be reachable yet. */
export async function openRunTransport(context: RunTransportContext): Promise<ProcessTransport> {
  const { TRANSPORT } = context.config;
  switch (TRANSPORT) {
    case "memory":
      return openInMemory(context);
    case "redis":
      return openRedis(context);
    case "postgres":
      return openPostgresTransport(context);
    default:
      return TRANSPORT satisfies never;
  }
}

function openInMemory({ clock }: RunTransportContext): ProcessTransport {
  const runStream = new InMemoryRunStream({ clock });
  const traceStore = new InMemoryTraceStore();
  const idempotencyStore = new InMemoryIdempotencyStore({ clock });
  return {
    runStream,
    traceStore,
    idempotencyStore,
    inMemory: { bytes: () => runStream.bytes, spans: () => traceStore.size },
  };
}

async function openRedis(context: RunTransportContext): Promise<ProcessTransport> {
  const { config, clock, logger, registry, readiness, stack } = context;
  const [redis, { createRedisRunTransport }] = await Promise.all([
    openRedisClient(context),
    import("#adapters/redis/redis-run-transport.ts"),
  ]);
  // A Redis that was never reached is more likely a mistake in the settings than an outage, and must stop a rollout. A
  // Redis that is lost later costs partial events, but makes no process unready.
  readiness?.waitFor("redis");
  redis.once("ready", () => readiness?.ready("redis"));
  const observer = createRedisMetrics(registry);
  return stack.use(createRedisRunTransport({ redis, keyPrefix: config.REDIS_KEY_PREFIX, observer, logger, clock }));
}

async function openPostgresTransport(context: RunTransportContext): Promise<ProcessTransport> {
  const { logger, stack } = context;
  // Imported after the place: that reports a missing package.
  const place = await openPostgresPlace(context);
  const { createPostgresRunTransport } = await import("#adapters/postgres/streams/postgres-run-transport.ts");
  return stack.use(createPostgresRunTransport({ ...place, logger }));
}
