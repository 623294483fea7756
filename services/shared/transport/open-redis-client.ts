import type { RedisClient } from "#adapters/redis/redis-client.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { ConfigOf } from "../config/config-schema.ts";
import type { PeerMetrics } from "../metrics/peer-metrics.ts";
import { redisAddress, type redisConfigSchema } from "./redis-settings.ts";

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
