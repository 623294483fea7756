import type { RedisClient } from "#adapters/redis/redis-client.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { QuotaLedger } from "#ports/quota/quota-ledger.ts";
import type { ConfigOf } from "../config/config-schema.ts";
import type { MetricRegistry } from "../metrics/metric-registry.ts";
import type { PeerMetrics } from "../metrics/peer-metrics.ts";
import type { PostgresConfig } from "../stores/open-postgres.ts";
import { openPostgresPlace } from "./open-postgres-place.ts";
import { createRedisMetrics } from "./redis-metrics.ts";
import { redisAddress, type redisConfigSchema } from "./redis-settings.ts";

export interface QuotaLedgerContext extends RedisClientContext {
  readonly config: RedisClientContext["config"] & PostgresConfig & { readonly TRANSPORT: "redis" | "postgres" };
  readonly clock: Clock;
  readonly registry: MetricRegistry;
}

/** The counts of all processes that share a transport, for a process that needs nothing else of it. */
export async function openQuotaLedger(context: QuotaLedgerContext): Promise<QuotaLedger> {
  const { config, clock, logger, registry, stack } = context;
  if (config.TRANSPORT === "postgres") return openInPostgres(context);
  const [redis, { RedisQuotaLedger }] = await Promise.all([
    openRedisClient(context),
    import("#adapters/redis/redis-quota-ledger.ts"),
  ]);
  const observer = createRedisMetrics(registry);
  const keyPrefix = config.REDIS_KEY_PREFIX;
  return stack.use(new RedisQuotaLedger({ redis, keyPrefix, observer, logger, clock }));
}

async function openInPostgres(context: QuotaLedgerContext): Promise<QuotaLedger> {
  const { logger, stack } = context;
  const place = await openPostgresPlace(context);
  const { PostgresQuotaLedger } = await import("#adapters/postgres/streams/postgres-quota-ledger.ts");
  return stack.use(new PostgresQuotaLedger({ ...place, logger }));
}

export interface RedisClientContext {
  readonly config: ConfigOf<typeof redisConfigSchema>;
  readonly logger: Logger;
  readonly peers: PeerMetrics;
  /** Closes the client. */
  readonly stack: AsyncDisposableStack;
}

/** The process's client of Redis, which may not be reachable yet. */
export async function openRedisClient({ config, logger, peers, stack }: RedisClientContext): Promise<RedisClient> {
  const { createRedis } = await import("#adapters/redis/create-redis.ts");
  const redis = createRedis({ ...redisAddress(config), logger });
  stack.defer(() => redis.disconnect());
  peers.watch("redis", () => redis.status === "ready");
  return redis;
}
