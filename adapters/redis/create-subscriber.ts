import { Redis } from "ioredis";
import { gatherWrites } from "./gather-writes.ts";
import type { RedisClient } from "./redis-client.ts";

/** A connection for subscriptions, separate from the one for all other commands. */
export interface Subscriber extends Disposable {
  readonly connection: RedisClient;
}

/**
 * Opens a second connection, for subscriptions. It does not resubscribe by itself, because its owner could not tell
 * when that is complete. After an outage it reconnects at the latest when the first connection has reconnected.
 */
export function createSubscriber(redis: RedisClient): Subscriber {
  const connection = redis instanceof Redis ? redis.duplicate({ autoResubscribe: false }) : redis.duplicate();
  gatherWrites(connection);
  // The first connection has the same outages and reports them.
  connection.on("error", () => {});
  const reconnectNow = (): void => {
    // The pause in progress ends later and finds the connection established. If this attempt fails, the pause
    // continues.
    if (connection.status === "reconnecting") connection.connect().catch(() => {});
  };
  redis.on("ready", reconnectNow);
  return {
    connection,
    [Symbol.dispose]: () => {
      redis.off("ready", reconnectNow);
      // The pause of an earlier failed attempt would connect once more.
      connection.on("connect", () => connection.disconnect());
      connection.disconnect();
    },
  };
}
