import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRedisRunTransport } from "#adapters/redis/redis-run-transport.ts";
import { RedisServer, whyNoRedis } from "#tooling/emulators/redis-server.ts";

describe.skipIf(whyNoRedis() !== undefined)("connections to Redis", () => {
  let server: RedisServer;
  let admin: Redis;

  beforeAll(async () => {
    server = await RedisServer.start();
    admin = new Redis(server.url);
  });

  afterAll(async () => {
    admin.disconnect();
    await server[Symbol.asyncDispose]();
  });

  const connections = async () =>
    String(await admin.client("LIST"))
      .trim()
      .split("\n").length;

  it("are closed with the transport, also while its streams, notifications and quotas are in use", async () => {
    const before = await connections();
    const transport = await openRedisRunTransport({ url: server.url });
    const stop = new AbortController();
    const reading = Array.fromAsync(transport.runStream.subscribe("run", { signal: stop.signal }));
    transport.runNotifications?.onNotify(() => {});
    await expect.poll(connections).toBeGreaterThan(before);
    stop.abort();
    await reading;
    await transport[Symbol.asyncDispose]();
    await expect.poll(connections).toBe(before);
  });

  it("are closed when a transport cannot be opened", async () => {
    const before = await connections();
    const url = server.url.replace("//", "//nobody:wrong@");
    const opening = openRedisRunTransport({ url, connectTimeoutMs: 500 });
    await expect(opening).rejects.toThrow();
    await expect.poll(connections).toBe(before);
  });
});
