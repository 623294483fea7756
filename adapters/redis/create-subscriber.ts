import { Redis } from "ioredis";
import { gatherWrites } from "./gather-writes.ts";
import type { RedisClient } from "./redis-client.ts";

/** A connection for listening, beside the one for everything else. */
export interface Subscriber extends Disposable {
  readonly connection: RedisClient;
}

/**
 * One more connection, for listening. It does not resubscribe by itself: nobody would know when that is done. After an outage it is tried
 * again no later than the other one is back.
 */
export function createSubscriber(redis: RedisClient): Subscriber {
  const connection = redis instanceof Redis ? redis.duplicate({ autoResubscribe: false }) : redis.duplicate();
  gatherWrites(connection);
  // Outages are told by the other connection, which has the same ones.
  connection.on("error", () => {});
  const hasten = (): void => {
    // The wait that it was in ends later, and finds it connected. One that fails now goes on waiting as before.
    if (connection.status === "reconnecting") connection.connect().catch(() => {});
  };
  redis.on("ready", hasten);
  return {
    connection,
    [Symbol.dispose]: () => {
      redis.off("ready", hasten);
      // The wait that a failed haste has left behind would connect once more.
      connection.on("connect", () => connection.disconnect());
      connection.disconnect();
    },
  };
}
