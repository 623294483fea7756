import { readFile } from "node:fs/promises";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRedis } from "#adapters/redis/create-redis.ts";
import { createRedisRunTransport } from "#adapters/redis/redis-run-transport.ts";
import { systemClock } from "#kit/platform/clock.ts";
import type { RunTransport } from "#ports/runs/run-transport.ts";
import { end, event } from "#test/contract/runs/run-stream.ts";
import { eventAttributes, span } from "#test/contract/runs/trace-store.ts";
import { RedisServer, whyNoRedis } from "#tooling/emulators/redis-server.ts";

const PASSWORD = "PASSWORD";
const TENANTS = ["default", "acme", "globex"] as const;

/** The arguments of the commands that the page shows. */
async function usersOfPage(): Promise<readonly (readonly string[])[]> {
  const page = await readFile(new URL("../../../docs/operate/redis.md", import.meta.url), "utf8");
  const blocks = [...page.matchAll(/```text\nACL (SETUSER [^`]+)```/g)];
  return blocks.map(([, command = ""]) => command.trim().split(/\s+/));
}

type Transport = { readonly [Name in keyof RunTransport]-?: NonNullable<RunTransport[Name]> };

describe.skipIf(whyNoRedis() !== undefined)("users of Redis as the page for operators has them", () => {
  let server: RedisServer;
  let admin: Redis;
  let reservations = 0;
  beforeAll(async () => {
    server = await RedisServer.start();
    admin = new Redis(server.port, "127.0.0.1");
    for (const args of await usersOfPage()) await admin.call("ACL", ...args);
  });
  afterAll(async () => {
    admin.disconnect();
    await server[Symbol.asyncDispose]();
  });

  function connect(username: string): Transport & AsyncDisposable & { readonly redis: Redis } {
    const redis = createRedis({ url: server.url, username, password: PASSWORD, connectionName: "test" });
    const transport = createRedisRunTransport({ redis, keyPrefix: "desk", clock: systemClock });
    const { runQuota, runNotifications, quotaLedger, endedSessions } = transport;
    if (!(runQuota && runNotifications && quotaLedger && endedSessions)) throw new Error("The transport lacks a port.");
    return {
      ...transport,
      runQuota,
      runNotifications,
      quotaLedger,
      endedSessions,
      // Not a cluster.
      redis: redis as Redis,
      [Symbol.asyncDispose]: async () => {
        await transport[Symbol.asyncDispose]();
        redis.disconnect();
      },
    };
  }

  const session = (tenantId: string) => ({ tenantId, appName: "app", userId: "user", id: "session" });
  const place = (tenantId: string) => ({
    ...{ id: `place of ${tenantId}`, tenantId, leaseMs: 60_000 },
    limits: [
      { name: "user", max: 9 },
      { name: "app", max: 9 },
    ],
  });

  /** All that either service does for the quotas of the tenant. */
  async function count({ quotaLedger }: Transport, tenantId: string): Promise<void> {
    reservations += 1;
    const charge = { name: "tokens", window: "day", max: 100, amount: 1 } as const;
    const reservation = { id: `reservation ${reservations}`, tenantId, charges: [charge], leaseMs: 60_000 };
    expect(await quotaLedger.spend({ tenantId, charges: [charge] })).toMatchObject({ kind: "taken" });
    expect(await quotaLedger.reserve(reservation)).toMatchObject({ kind: "taken" });
    quotaLedger.settle(reservation, [1]);
    await expect.poll(async () => (await quotaLedger.read({ tenantId, counts: [charge] }))[0]?.reserved).toBe(0);
  }

  /** All that a runner does for a run of the tenant. */
  async function work(runner: Transport, tenantId: string): Promise<void> {
    expect(await runner.runQuota.take(place(tenantId), { waits: false })).toMatchObject({ kind: "taken" });
    await runner.runStream.publish("run", [event(1)], { tenantId, session: session(tenantId) });
    await runner.runStream.publish("run", [end(2)], { tenantId });
    await runner.traceStore.record(session(tenantId), [span(1, { attributes: eventAttributes("e") })]);
    for await (const batch of runner.runStream.subscribe("run", { tenantId, signal: new AbortController().signal }))
      expect(batch).toEqual([event(1), end(2)]);
    runner.runQuota.leave(place(tenantId));
    await count(runner, tenantId);
  }

  it("do all that a run needs, between a runner and a gateway, for every tenant", async () => {
    await using runner = connect("fairlead-runner");
    await using gateway = connect("fairlead-gateway");
    const notified = new Promise((resolve) => {
      runner.runNotifications.onNotify(resolve);
    });
    for (const tenantId of TENANTS) {
      let changes = 0;
      using _watch = gateway.runStream.watch(session(tenantId), () => {
        changes += 1;
      });
      await expect.poll(() => changes).toBe(1);
      await work(runner, tenantId);
      await expect.poll(() => changes).toBe(2);
      gateway.runStream.announce(session(tenantId));
      await expect.poll(() => changes).toBe(3);
      for await (const batch of gateway.runStream.subscribe("run", { tenantId, signal: new AbortController().signal }))
        expect(batch).toEqual([event(1), end(2)]);
      for (const reader of [{ tenantId }, session(tenantId)]) {
        expect(await gateway.traceStore.bySession(reader, "session")).toHaveLength(1);
        expect(await gateway.traceStore.byEvent(reader, "e")).toMatchObject({ name: "span 1" });
      }
      expect(await gateway.runQuota.count({ tenantId, names: ["user"] })).toEqual([0]);
      expect(await gateway.idempotencyStore.claim("key", "print", tenantId)).toBeUndefined();
      await gateway.idempotencyStore.complete("key", { fingerprint: "print" }, tenantId);
      expect(await gateway.idempotencyStore.claim("key", "print", tenantId)).toMatchObject({ isDone: true });
      await gateway.idempotencyStore.release("key", tenantId);
      await gateway.endedSessions.add({ id: "page", tenantId }, 60_000);
      expect(await gateway.endedSessions.has({ id: "page", tenantId })).toBe(true);
      await count(gateway, tenantId);
    }
    await expect
      .poll(() => {
        runner.runNotifications.notify({ kind: "ended", runId: "run" });
        return Promise.race([notified, undefined]);
      })
      .toEqual({ kind: "ended", runId: "run" });
  });

  it("of one tenant do all that its runs need, and reach nothing of another tenant", async () => {
    await using runner = connect("fairlead-runner-acme");
    await work(runner, "acme");
    for (const tenantId of ["default", "globex"]) {
      const refused = { reason: "STORE_UNAVAILABLE" };
      await expect(runner.runStream.publish("run", [event(1)], { tenantId })).rejects.toMatchObject(refused);
      const signal = new AbortController().signal;
      await expect(
        runner.runStream.subscribe("run", { tenantId, signal })[Symbol.asyncIterator]().next(),
      ).rejects.toMatchObject(refused);
      await expect(runner.traceStore.record(session(tenantId), [span(1)])).rejects.toMatchObject(refused);
      await expect(runner.runQuota.take(place(tenantId), { waits: false })).rejects.toMatchObject(refused);
    }
  });

  it.each([
    ["fairlead-runner", "get", "desk:idempotency:key"],
    ["fairlead-runner", "get", "desk:tenants:acme:idempotency:key"],
    ["fairlead-runner", "set", "desk:ended:page", "1"],
    ["fairlead-runner", "get", "other:key"],
    ["fairlead-runner", "keys", "*"],
    ["fairlead-runner", "scan", "0"],
    ["fairlead-runner", "flushall"],
    ["fairlead-runner", "config", "get", "*"],
    ["fairlead-runner", "acl", "list"],
    ["fairlead-runner", "publish", "other", "x"],
    ["fairlead-runner", "psubscribe", "*"],
    ["fairlead-runner", "monitor"],
    ["fairlead-gateway", "del", "desk:{run}:log"],
    ["fairlead-gateway", "set", "desk:tenants:acme:trace:{x}", "forged"],
    ["fairlead-gateway", "eval", "return redis.call('DEL', KEYS[1])", "1", "desk:{run}:log"],
    ["fairlead-gateway", "publish", "desk:notifications", "cancel run"],
    ["fairlead-gateway", "del", "desk:{quota:default}:places:app"],
    ["fairlead-runner-acme", "subscribe", "desk:{run}:live"],
    ["fairlead-runner-acme", "publish", "desk:tenants:globex:session:app/user/session", ""],
    ["fairlead-runner-acme", "xrange", "desk:tenants:globex:{run}:log", "-", "+"],
    ["fairlead-runner-acme", "eval", "return redis.call('GET', 'desk:tenants:globex:x')", "0"],
  ])("refuse %s the command %s %s", async (username, command, ...args) => {
    await using user = connect(username);
    await expect(user.redis.call(command, ...args)).rejects.toThrow(/NOPERM|can.t access/);
  });
});
