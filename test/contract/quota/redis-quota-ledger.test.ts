import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createRedis } from "#adapters/redis/create-redis.ts";
import type { RedisClient } from "#adapters/redis/redis-client.ts";
import { RedisQuotaLedger } from "#adapters/redis/redis-quota-ledger.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import type { QuotaReservation } from "#ports/quota/quota-ledger.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { useRedisEnds } from "../redis-ends.ts";
import { quotaLedgerContract } from "./quota-ledger.ts";

const clock = systemClock;
/** Renewed in time also when this process stands still for a second. */
const SHORT_MS = 1500;
const TOKENS = { name: "tokens", window: "day", max: 100, amount: 60 } as const;
const held = (leaseMs: number): QuotaReservation => ({ id: "held", charges: [TOKENS], leaseMs });

describe.skipIf(whyNoRedis() !== undefined)("RedisQuotaLedger", () => {
  const { open } = useRedisEnds((redis, keyPrefix) => new RedisQuotaLedger({ redis, clock, keyPrefix }));
  const stateOf = async (ledger: RedisQuotaLedger) => (await ledger.read({ counts: [TOKENS] }))[0];

  quotaLedgerContract({ create: async () => open("server") });
  describe("in a cluster", () => quotaLedgerContract({ create: async () => open("cluster") }));

  it("ends the reservation of a lost process with its lease, and keeps what it had used", async () => {
    const { ends, dispose } = open("server");
    await ends[0].spend({ charges: [{ ...TOKENS, amount: 10 }] });
    await ends[0].reserve(held(SHORT_MS));
    expect(await stateOf(ends[1])).toMatchObject({ used: 10, reserved: 60 });
    await ends[0][Symbol.asyncDispose]();
    await expect.poll(() => stateOf(ends[1])).toMatchObject({ used: 10, reserved: 0 });
    await ends[1].reserve({ ...held(60_000), id: "next" });
    expect(await stateOf(ends[1])).toMatchObject({ used: 10, reserved: 60 });
    await dispose();
  });

  it("ends only the lost one of several reservations", async () => {
    const { ends, dispose } = open("server");
    await ends[0].reserve({ ...held(SHORT_MS), charges: [{ ...TOKENS, amount: 30 }] });
    await ends[1].reserve({ ...held(60_000), id: "alive", charges: [{ ...TOKENS, amount: 7 }] });
    await ends[0][Symbol.asyncDispose]();
    await expect.poll(() => stateOf(ends[1])).toMatchObject({ used: 0, reserved: 7 });
    expect(await stateOf(ends[1])).toMatchObject({ used: 0, reserved: 7 });
    await dispose();
  });

  it("keeps what was used when the clock of Redis is set back over the beginning of the window", async () => {
    verifies("quotas:clock");
    const { ends, clients, keyPrefix, dispose } = open("server");
    await ends[0].spend({ charges: [{ ...TOKENS, amount: 10 }] });
    const [hash = ""] = await clients[0].keys(`${keyPrefix}*:day:tokens`);
    await clients[0].hincrby(hash, "w", 86_400_000);
    expect(await stateOf(ends[1])).toMatchObject({ used: 10 });
    await ends[0].spend({ charges: [{ ...TOKENS, amount: 5 }] });
    expect(await stateOf(ends[1])).toMatchObject({ used: 15 });
    await clients[0].hincrby(hash, "w", -86_400_000);
    expect(await stateOf(ends[1])).toMatchObject({ used: 0 });
    await dispose();
  });

  it("keeps a reservation for as long as it is not settled, and restores it after Redis lost the counts", async () => {
    const { ends, clients, dispose } = open("server");
    await ends[0].reserve(held(SHORT_MS));
    await pause(2 * SHORT_MS);
    expect(await stateOf(ends[1])).toMatchObject({ reserved: 60 });
    await clients[0].flushall();
    await expect.poll(() => stateOf(ends[1])).toMatchObject({ reserved: 60 });
    ends[0].settle(held(SHORT_MS), [20]);
    await expect.poll(() => stateOf(ends[1])).toMatchObject({ used: 20, reserved: 0 });
    await dispose();
  });

  it("renews many reservations of a tenant in one call", async () => {
    const { ends, clients, dispose } = open("server");
    const leaseMs = SHORT_MS;
    const ids = Array.from({ length: 250 }, (_, index) => `r-${index}`);
    const reservation = (id: string, tenantId?: string): QuotaReservation => ({
      ...{ id, leaseMs, charges: [{ ...TOKENS, max: 10_000, amount: 1 }], ...(tenantId !== undefined && { tenantId }) },
    });
    for (const id of ids) await ends[0].reserve(reservation(id));
    for (const id of ids.slice(0, 10)) await ends[0].reserve(reservation(`acme-${id}`, "acme"));
    await clients[1].config("RESETSTAT");
    await pause(2 * leaseMs);
    const stats = String(await clients[1].info("commandstats"));
    const calls = Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1]);
    expect(calls).toBeGreaterThan(0);
    expect(calls).toBeLessThan(100);
    expect(await stateOf(ends[1])).toMatchObject({ reserved: 250 });
    const [acme] = await ends[1].read({ tenantId: "acme", counts: [TOKENS] });
    expect(acme).toMatchObject({ reserved: 10 });
    await dispose();
  });

  it("renews reservations of several tenants and leases in a cluster, where no call may have keys of two slots", async () => {
    const { ends, dispose } = open("cluster");
    const tenants = [{}, { tenantId: "acme" }, { tenantId: "globex" }];
    const leases = [SHORT_MS, 2 * SHORT_MS];
    for (const [at, tenant] of tenants.entries())
      for (const leaseMs of leases)
        await ends[0].reserve({
          ...held(leaseMs),
          ...tenant,
          id: `r-${at}-${leaseMs}`,
          charges: [{ ...TOKENS, amount: 7 }],
        });
    await pause(3 * SHORT_MS);
    for (const tenant of tenants)
      expect((await ends[1].read({ ...tenant, counts: [TOKENS] }))[0]).toMatchObject({ reserved: 14 });
    await dispose();
  });

  it("counts what was used when Redis can be reached again", async () => {
    const { ends, clients, keyPrefix, dispose } = open("server");
    const failed = Promise.withResolvers<void>();
    const logger = { ...silentLogger, debug: () => failed.resolve() };
    await using ledger = new RedisQuotaLedger({ redis: clients[0], clock, keyPrefix, logger });
    await ledger.reserve(held(3_600_000));
    clients[0].disconnect();
    ledger.settle(held(3_600_000), [25]);
    await failed.promise;
    expect(await stateOf(ends[1])).toMatchObject({ used: 0, reserved: 60 });
    await clients[0].connect();
    await expect.poll(() => stateOf(ends[1])).toMatchObject({ used: 25, reserved: 0 });
    await dispose();
  });

  describe("after refusals without a lost connection", () => {
    const IDS = Array.from({ length: 50 }, (_, index) => `r-${index}`);
    const refuseWrites = (client: RedisClient, refuses: boolean) =>
      client.call("CONFIG", "SET", "maxmemory", refuses ? "1" : "0");

    /** A ledger with settlements that Redis has refused because its memory is full. */
    async function refused(leaseMs: number) {
      const { ends, clients, keyPrefix, dispose } = open("server");
      const allFailed = Promise.withResolvers<void>();
      const warnings: unknown[] = [];
      let failures = 0;
      const logger = {
        ...silentLogger,
        debug: () => {
          failures += 1;
          if (failures === IDS.length) allFailed.resolve();
        },
        warn: (fields: object) => void warnings.push(fields),
      };
      const ledger = new RedisQuotaLedger({ redis: clients[0], clock, keyPrefix, logger });
      const reservations = IDS.map((id) => ({ ...held(leaseMs), id, charges: [{ ...TOKENS, amount: 1 }] }));
      for (const reservation of reservations) await ledger.reserve(reservation);
      await refuseWrites(clients[1], true);
      for (const reservation of reservations) ledger.settle(reservation, [2]);
      await allFailed.promise;
      const accept = () => refuseWrites(clients[1], false);
      return { ledger, warnings, state: () => stateOf(ends[1]), accept, dispose };
    }

    it("counts what was used when Redis accepts it", async () => {
      const { ledger, state, accept, dispose } = await refused(SHORT_MS);
      await accept();
      await expect.poll(state).toMatchObject({ used: 100, reserved: 0 });
      await ledger[Symbol.asyncDispose]();
      await dispose();
    });

    it("tries once more at the end of the process", async () => {
      const { ledger, warnings, state, accept, dispose } = await refused(3_600_000);
      await accept();
      await ledger[Symbol.asyncDispose]();
      expect(await state()).toMatchObject({ used: 100, reserved: 0 });
      expect(warnings).toEqual([]);
      await dispose();
    });

    it("logs at the end of the process how much was never counted", async () => {
      const { ledger, warnings, accept, dispose } = await refused(3_600_000);
      await ledger[Symbol.asyncDispose]();
      expect(warnings).toEqual([{ settlements: IDS.length }]);
      await accept();
      await dispose();
    });
  });

  it("counts a month by the clock of Redis, also if the process's clock is in a neighbouring one", async () => {
    const { clients, keyPrefix, dispose } = open("server");
    const month = { ...TOKENS, window: "month" } as const;
    const ledgerAt = (offsetMs: number) =>
      new RedisQuotaLedger({
        redis: clients[0],
        clock: { now: () => clock.now() + offsetMs, monotonic: () => clock.monotonic() },
        keyPrefix,
      });
    const monthMs = 28 * 86_400_000;
    const states = [];
    for (const offsetMs of [0, monthMs, -monthMs]) {
      await using ledger = ledgerAt(offsetMs);
      states.push((await ledger.spend({ charges: [{ ...month, amount: 1 }] })).states[0]?.used);
    }
    expect(states).toEqual([1, 2, 3]);
    await dispose();
  });

  it("gives every key an end", async () => {
    const { ends, clients, keyPrefix, dispose } = open("server");
    await ends[0].spend({ charges: [TOKENS, { ...TOKENS, window: "month" }, { ...TOKENS, window: "minute" }] });
    await ends[0].reserve({ ...held(SHORT_MS), charges: [{ ...TOKENS, window: "now" }] });
    const keys = await clients[0].keys(`${keyPrefix}:*`);
    const ttls = await Promise.all(keys.map((key) => clients[0].pttl(key)));
    expect(keys).toHaveLength(5);
    expect(Math.min(...ttls)).toBeGreaterThan(0);
    expect(Math.max(...ttls)).toBeLessThan(32 * 86_400_000);
    await dispose();
  });

  it("reports that the counts are unknown while Redis is unavailable", async () => {
    const lost = createRedis({ url: "redis://127.0.0.1:1", commandTimeoutMs: 200 });
    const ledger = new RedisQuotaLedger({ redis: lost, clock });
    for (const call of [
      ledger.spend({ charges: [TOKENS] }),
      ledger.reserve(held(SHORT_MS)),
      ledger.read({ counts: [TOKENS] }),
    ])
      await expect(call).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE" });
    await ledger[Symbol.asyncDispose]();
    lost.disconnect();
  });
});
