import { Redis } from "ioredis";
import { describe, expect, it } from "vitest";
import { createRedis } from "#adapters/redis/create-redis.ts";
import { RedisRunStream } from "#adapters/redis/redis-run-stream.ts";
import { RedisServer, whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { FaultProxy } from "#tooling/processes/fault-proxy.ts";

describe.skipIf(whyNoRedis() !== undefined)("the connection for subscriptions", () => {
  it("is not subscribed to runs whose readers have left before it was established", { timeout: 30_000 }, async () => {
    await using server = await RedisServer.start();
    await using link = await FaultProxy.to(server.port);
    link.set({ kind: "refuse" });
    // Made from a URL, so it is a client of one server.
    const redis = createRedis({ url: server.url }) as Redis;
    const admin = new Redis(server.url);
    const duplicate = redis.duplicate.bind(redis);
    let listening = redis;
    redis.duplicate = (override) => {
      // It does not reconnect by itself.
      listening = duplicate({ ...override, port: link.port, retryStrategy: () => 3_600_000 });
      return listening;
    };
    await using stream = new RedisRunStream({ redis, keyPrefix: "left" });
    const watch = (id: string) => stream.watch({ appName: "app", userId: "ada", id }, () => undefined);
    const [first, second, stays] = [watch("first"), watch("second"), watch("stays")];
    const lost = new Promise((resolve) => listening.once("reconnecting", resolve));
    first[Symbol.dispose]();
    await lost;
    second[Symbol.dispose]();
    link.heal();
    await listening.connect();
    const channels = () => admin.pubsub("CHANNELS", "left:*");
    await expect.poll(channels, { timeout: 10_000, interval: 10 }).toEqual(["left:session:app/ada/stays"]);
    stays[Symbol.dispose]();
    await expect.poll(channels, { timeout: 10_000, interval: 10 }).toEqual([]);
    redis.disconnect();
    admin.disconnect();
  });
});
