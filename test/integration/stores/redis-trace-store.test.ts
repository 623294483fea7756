import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRedis } from "#adapters/redis/create-redis.ts";
import { RedisTraceStore, type RedisTraceStoreOptions } from "#adapters/redis/redis-trace-store.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { SpanRecord } from "#kit/telemetry/span.ts";
import { eventAttributes, span, traceId } from "#test/contract/runs/trace-store.ts";
import { RedisServer, whyNoRedis } from "#tooling/emulators/redis-server.ts";

const SESSION: SessionKey = { appName: "app", userId: "user", id: "session" };

const whyNot = whyNoRedis();

describe.skipIf(whyNot !== undefined)("traces in Redis", () => {
  let server: RedisServer;

  beforeAll(async () => {
    server = await RedisServer.start();
  });

  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  function open(keyPrefix: string, options: Partial<RedisTraceStoreOptions> = {}) {
    const redis = createRedis({ url: server.url });
    const admin = new Redis(server.url);
    const stack = new DisposableStack();
    stack.defer(() => redis.disconnect());
    stack.defer(() => admin.disconnect());
    const store = stack.use(new RedisTraceStore({ redis, keyPrefix, ...options }));
    return { store, admin, [Symbol.dispose]: () => stack.dispose() };
  }

  function ofEvent(number: number, overrides: Partial<SpanRecord> = {}): SpanRecord {
    return span(number, { attributes: eventAttributes(`e-${number}`), ...overrides });
  }

  it("go in time, every key of them, counted from the last span", async () => {
    using world = open("ttl", { ttlMs: 600_000 });
    await world.store.record(SESSION, [ofEvent(1)]);
    const keys = (await world.admin.keys("ttl:*")).sort();
    await Promise.all(keys.map((key) => world.admin.pexpire(key, 60_000)));
    await world.store.record(SESSION, [ofEvent(1)]);
    const minutes = await Promise.all(keys.map(async (key) => Math.ceil((await world.admin.pttl(key)) / 60_000)));
    // Keys of a session are named by a digest of its app, user and id.
    const named = keys.map((key) => key.replace(/[\w-]{43}/, "DIGEST").replace(/[\w-]{36}$/, "ID"));
    expect(Object.fromEntries(named.map((key, index) => [key, minutes[index]]))).toEqual({
      "ttl:trace-event-spans:e-1": 10,
      "ttl:trace-owners:session": 10,
      "ttl:trace-session:DIGEST": 10,
      "ttl:trace:{DIGEST}": 10,
      "ttl:trace:{DIGEST}:bytes": 10,
      "ttl:trace:{DIGEST}:call:ID": 1,
    });
  });

  it("are bounded in spans, and those left out are not found by their event", async () => {
    using world = open("spans", { maxSpansPerTrace: 3 });
    await world.store.record(SESSION, [ofEvent(1), ofEvent(2)]);
    await world.store.record(SESSION, [ofEvent(3), ofEvent(4)]);
    await world.store.record(SESSION, [ofEvent(5)]);
    expect(await world.store.bySession({ appName: "app" }, "session")).toEqual([ofEvent(1), ofEvent(2), ofEvent(3)]);
    expect(await world.store.byEvent({ appName: "app" }, "e-3")).toEqual(ofEvent(3));
    expect(await world.store.byEvent({ appName: "app" }, "e-4")).toBeUndefined();
    expect(await world.store.byEvent({ appName: "app" }, "e-5")).toBeUndefined();
  });

  it("are bounded in bytes", async () => {
    using world = open("bytes", { maxBytesPerTrace: 1000 });
    const large = (number: number) => span(number, { attributes: { text: "x".repeat(600) } });
    await world.store.record(SESSION, [large(1), large(2)]);
    expect(await world.store.bySession({ appName: "app" }, "session")).toEqual([large(1)]);
  });

  it("are bounded for each session: its oldest are no longer listed", async () => {
    using world = open("session", { maxTracesPerSession: 2 });
    for (const number of [1, 2, 3]) await world.store.record(SESSION, [ofEvent(number, { traceId: traceId(number) })]);
    expect(await world.store.bySession({ appName: "app" }, "session")).toEqual([
      ofEvent(2, { traceId: traceId(2) }),
      ofEvent(3, { traceId: traceId(3) }),
    ]);
  });

  it("are not found once they are deleted, though an event or a session still points to them", async () => {
    using world = open("gone");
    await world.store.record(SESSION, [ofEvent(1)]);
    const spans = await world.admin.keys("gone:trace:{*}");
    expect(spans).toHaveLength(1);
    await world.admin.del(spans);
    expect(await world.store.byEvent({ appName: "app" }, "e-1")).toBeUndefined();
    expect(await world.store.bySession({ appName: "app" }, "session")).toEqual([]);
  });

  it("take several traces in one call, and an empty list", async () => {
    using world = open("several");
    await world.store.record(SESSION, []);
    await world.store.record(SESSION, [ofEvent(1), ofEvent(2, { traceId: traceId(2) }), ofEvent(3)]);
    expect(await world.store.bySession({ appName: "app" }, "session")).toEqual([
      ofEvent(1),
      ofEvent(2, { traceId: traceId(2) }),
      ofEvent(3),
    ]);
  });

  it("fail with a clear error while Redis is unavailable", async () => {
    const gone = await RedisServer.start();
    const redis = createRedis({ url: gone.url });
    using store = new RedisTraceStore({ redis });
    await gone[Symbol.asyncDispose]();
    const unavailable = { reason: "STORE_UNAVAILABLE" };
    await expect(store.record(SESSION, [span(1)])).rejects.toMatchObject(unavailable);
    await expect(store.byEvent({ appName: "app" }, "e-1")).rejects.toMatchObject(unavailable);
    await expect(store.bySession({ appName: "app" }, "session")).rejects.toMatchObject(unavailable);
    redis.disconnect();
  });
});
