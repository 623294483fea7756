import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createRedis } from "#adapters/redis/create-redis.ts";
import { RedisRunQuota } from "#adapters/redis/redis-run-quota.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { useRedisEnds } from "../redis-ends.ts";
import { runQuotaContract } from "./run-quota.ts";

/** Renewed in time also when this process stands still for a second. */
const SHORT_MS = 1500;
const APP = { name: "app", max: 1 };
const LIMIT = { limits: [APP] };
const TRY = { waits: false } as const;

describe.skipIf(whyNoRedis() !== undefined)("RedisRunQuota", () => {
  const { open } = useRedisEnds((redis, keyPrefix) => new RedisRunQuota({ redis, keyPrefix }));
  const openWorld = (at: "server" | "cluster") => ({ ...open(at), pass: (ms: number) => pause(ms) });

  runQuotaContract({ create: async () => openWorld("server") });
  describe("in a cluster", () => runQuotaContract({ create: async () => openWorld("cluster") }));

  it("lets the place of a lost process go with its lease, and every key in time", async () => {
    const { ends, clients, keyPrefix, dispose } = open("server");
    await ends[0].take({ ...LIMIT, id: "lost", leaseMs: SHORT_MS }, TRY);
    expect(await ends[1].take({ ...LIMIT, id: "next", leaseMs: SHORT_MS }, TRY)).toEqual({ kind: "full", limit: APP });
    await ends[0][Symbol.asyncDispose]();
    await expect
      .poll(async () => (await ends[1].take({ ...LIMIT, id: "next", leaseMs: SHORT_MS }, TRY)).kind)
      .toBe("taken");
    await ends[1][Symbol.asyncDispose]();
    await expect.poll(() => clients[0].keys(`${keyPrefix}:*`)).toEqual([]);
    await dispose();
  });

  it("keeps a place for as long as it is held", async () => {
    const { ends, dispose } = open("server");
    await ends[0].take({ ...LIMIT, id: "held", leaseMs: SHORT_MS }, TRY);
    await pause(2 * SHORT_MS);
    expect(await ends[1].take({ ...LIMIT, id: "next", leaseMs: SHORT_MS }, TRY)).toEqual({ kind: "full", limit: APP });
    await dispose();
  });

  it("is not sure after a loss until all runners can have reported their places, which are there again by then", async () => {
    const { ends, clients, dispose } = open("server");
    const leaseMs = SHORT_MS;
    await ends[0].take({ ...LIMIT, id: "held", leaseMs }, TRY);
    await clients[0].flushall();
    expect(await ends[1].take({ ...LIMIT, id: "too many", leaseMs }, TRY)).toEqual({ kind: "taken", isSure: false });
    ends[1].leave({ ...LIMIT, id: "too many", leaseMs });
    await pause(leaseMs / 2);
    expect(await ends[1].take({ ...LIMIT, id: "next", leaseMs }, TRY)).toEqual({ kind: "full", limit: APP });
    ends[0].leave({ ...LIMIT, id: "held", leaseMs });
    await pause(leaseMs);
    expect(await ends[1].take({ ...LIMIT, id: "next", leaseMs }, TRY)).toEqual({ kind: "taken", isSure: true });
    await dispose();
  });

  it("leaves a place when Redis can be reached again that it could not leave before", async () => {
    const { clients, ends, keyPrefix, dispose } = open("server");
    const place = { ...LIMIT, id: "one", leaseMs: 3_600_000 };
    const failed = Promise.withResolvers<void>();
    const logger = { ...silentLogger, debug: () => failed.resolve() };
    await using quota = new RedisRunQuota({ redis: clients[0], keyPrefix, logger });
    await quota.take(place, TRY);
    clients[0].disconnect();
    quota.leave(place);
    await failed.promise;
    expect(await ends[1].take({ ...place, id: "next" }, TRY)).toEqual({ kind: "full", limit: APP });
    await clients[0].connect();
    await expect.poll(async () => (await ends[1].take({ ...place, id: "next" }, TRY)).kind).toBe("taken");
    await dispose();
  });

  it("reports that the count is unknown while Redis is unavailable", async () => {
    const away = createRedis({ url: "redis://127.0.0.1:1", commandTimeoutMs: 200 });
    const quota = new RedisRunQuota({ redis: away });
    await expect(quota.take({ ...LIMIT, id: "one", leaseMs: SHORT_MS }, TRY)).rejects.toMatchObject({
      reason: "STORE_UNAVAILABLE",
    });
    await quota[Symbol.asyncDispose]();
    away.disconnect();
  });
});
