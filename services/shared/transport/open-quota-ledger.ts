import type { Clock } from "#kit/platform/clock.ts";
import type { QuotaLedger } from "#kit/quota/quota-ledger.ts";
import type { MetricRegistry } from "../metrics/metric-registry.ts";
import { openRedisClient, type RedisClientContext } from "./open-redis-client.ts";
import { createRedisMetrics } from "./redis-metrics.ts";

export interface QuotaLedgerContext extends RedisClientContext {
  readonly clock: Clock;
  readonly registry: MetricRegistry;
}

/** The counts of all processes that share a Redis, for a process that needs nothing else of it. */
export async function openQuotaLedger(context: QuotaLedgerContext): Promise<QuotaLedger> {
  const { config, clock, logger, registry, stack } = context;
  const [redis, { RedisQuotaLedger }] = await Promise.all([
    openRedisClient(context),
    import("#adapters/redis/redis-quota-ledger.ts"),
  ]);
  const observer = createRedisMetrics(registry);
  const keyPrefix = config.REDIS_KEY_PREFIX;
  return stack.use(new RedisQuotaLedger({ redis, keyPrefix, observer, logger, clock }));
}
