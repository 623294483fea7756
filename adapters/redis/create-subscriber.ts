import { Redis } from "ioredis";
import type { RedisClient } from "./create-redis.ts";
import { gatherWrites } from "./gather-writes.ts";

/** One more connection, for listening. It does not resubscribe by itself: nobody would know when that is done. */
export function createSubscriber(redis: RedisClient): RedisClient {
  const subscriber = redis instanceof Redis ? redis.duplicate({ autoResubscribe: false }) : redis.duplicate();
  gatherWrites(subscriber);
  // Outages are told by the other connection, which has the same ones.
  subscriber.on("error", () => {});
  return subscriber;
}
