import { type Cluster, Redis, type RedisOptions } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRedis } from "#adapters/redis/create-redis.ts";
import type { RedisClient } from "#adapters/redis/redis-client.ts";
import { RedisRunStream, type RedisRunStreamOptions } from "#adapters/redis/redis-run-stream.ts";
import { FOLLOWED_RUN_BYTES, type PublishedEntry, type RunStreamEntry } from "#ports/runs/run-stream.ts";
import { end, event, events, readAll } from "#test/contract/runs/run-stream.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { RedisServer, whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { FaultProxy } from "#tooling/processes/fault-proxy.ts";

const RESYNC = { kind: "resync" };
const UNAVAILABLE = { reason: "STORE_UNAVAILABLE" };
const KIBIBYTE = 1024;
/** Looks often, at a local operation that takes almost no time on an idle machine. */
const PATIENTLY = { interval: 10 };

const whyNot = whyNoRedis();

/** A stream as in a process, and a plain client that inspects its keys. */
class StreamWorld implements AsyncDisposable {
  readonly redis: Redis;
  readonly admin: Redis;
  readonly stream: RedisRunStream;

  constructor(server: RedisServer, keyPrefix: string, options: Partial<RedisRunStreamOptions> = {}) {
    // Made from a URL, so it is a client of one server.
    this.redis = createRedis({ url: server.url, maxReconnectDelayMs: 50 }) as Redis;
    this.admin = new Redis(server.url, { retryStrategy: () => 20 });
    this.admin.on("error", () => {});
    // Checks of idle readers would hide a reader that is not notified of an outage.
    this.stream = new RedisRunStream({ redis: this.redis, keyPrefix, idleCheckMs: 600_000, ...options });
  }

  /** Gives the connection for readers its own options. Resolves with that connection once it exists. */
  listenBy(options: RedisOptions): () => Redis {
    const duplicate = this.redis.duplicate.bind(this.redis);
    let listening: Redis | undefined;
    this.redis.duplicate = (override) => {
      listening = duplicate({ ...override, ...options });
      return listening;
    };
    return () => listening ?? this.redis;
  }

  open(runId: string, after?: string): AsyncIterator<readonly RunStreamEntry[]> {
    const signal = new AbortController().signal;
    return this.stream.subscribe(runId, { signal, ...(after !== undefined && { after }) })[Symbol.asyncIterator]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stream[Symbol.asyncDispose]();
    this.redis.disconnect();
    this.admin.disconnect();
  }
}

/** The rest of a stream that ends. */
async function rest(reader: AsyncIterator<readonly RunStreamEntry[]>): Promise<readonly RunStreamEntry[]> {
  const entries: RunStreamEntry[] = [];
  for (let result = await reader.next(); result.done !== true; result = await reader.next())
    entries.push(...result.value);
  return entries;
}

/** The number of resyncs that a reader gets depends on how long the loss lasts. */
function withoutRepeats(entries: readonly RunStreamEntry[]): readonly RunStreamEntry[] {
  return entries.filter(({ kind }, index) => kind !== "resync" || entries[index - 1]?.kind !== "resync");
}

/** Unlike `once` of Node, it ignores errors before the event. */
async function emitted(client: RedisClient, name: string): Promise<void> {
  await new Promise((resolve) => client.once(name, resolve));
}

/** Every turn is a round trip, so this waits for Redis and not for time. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve));
}

describe.skipIf(whyNot !== undefined)("the run stream on Redis", () => {
  let server: RedisServer;

  beforeAll(async () => {
    server = await RedisServer.start();
  });

  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  describe("what is written", () => {
    it("is one entry a batch, whose id is its last entry's position", async () => {
      await using world = new StreamWorld(server, "layout");
      await world.stream.publish("r", events(1, 3));
      await world.stream.publish("r", [event(4), end(5)]);
      expect((await world.admin.xrange("layout:{r}:log", "-", "+")).map(([id]) => id)).toEqual(["1-3", "1-5"]);
      expect(await world.admin.hgetall("layout:{r}:head")).toMatchObject({ epoch: "1", n: "5", ended: "1" });
      expect((await world.admin.keys("layout:*")).sort()).toEqual(["layout:{r}:head", "layout:{r}:log"]);
    });

    it("is nothing for an old epoch, for numbers written before and after the end", async () => {
      await using world = new StreamWorld(server, "dropped");
      const heard: string[] = [];
      const listener = world.admin.duplicate();
      await listener.subscribe("dropped:{r}:live");
      listener.on("message", (_, payload: string) => heard.push(payload));
      await world.stream.publish("r", events(1, 3, 5));
      await world.stream.publish("r", events(1, 9, 4));
      await world.stream.publish("r", events(2, 3, 5));
      await world.stream.publish("r", [end(4, 5)]);
      await world.stream.publish("r", [event(5, 5)]);
      await world.stream.publish("r", [event(1, 6)]);
      await listener.unsubscribe();
      expect(heard).toHaveLength(2);
      expect((await world.admin.xrange("dropped:{r}:log", "-", "+")).map(([id]) => id)).toEqual(["5-3", "5-4"]);
      listener.disconnect();
    });

    it("goes in time, and sooner once the run has ended", async () => {
      await using world = new StreamWorld(server, "ttl", { abandonedTtlMs: 900_000, finishedTtlMs: 60_000 });
      await world.stream.publish("running", [event(1)]);
      await world.stream.publish("ended", [event(1)]);
      await world.stream.publish("ended", [end(2)]);
      const keys = (await world.admin.keys("ttl:*")).sort();
      const ttls = await Promise.all(keys.map(async (key) => [key, (await world.admin.pttl(key)) / 60_000] as const));
      expect(ttls.map(([key, minutes]) => [key, Math.ceil(minutes)])).toEqual([
        ["ttl:{ended}:head", 1],
        ["ttl:{ended}:log", 1],
        ["ttl:{running}:head", 15],
        ["ttl:{running}:log", 15],
      ]);
    });

    it("is bounded in bytes: the oldest batches go, and a reader who needed them gets a resync", async () => {
      await using world = new StreamWorld(server, "bounded", { maxBytesPerRun: 10 * KIBIBYTE });
      const large = (n: number) => ({ ...event(n), json: "x".repeat(KIBIBYTE) });
      for (let n = 1; n <= 100; n += 1) await world.stream.publish("r", [large(n)]);
      await world.stream.publish("r", [end(101)]);
      const bytes = Number(await world.admin.hget("bounded:{r}:head", "bytes"));
      expect(bytes).toBeLessThanOrEqual(10 * KIBIBYTE);
      const kept = await readAll(world.stream, "r");
      expect(kept).toEqual([RESYNC, ...[93, 94, 95, 96, 97, 98, 99, 100].map(large), end(101)]);
      expect(await readAll(world.stream, "r", "1.92")).toEqual(kept.slice(1));
    });

    it("is shorter for a run that a caller of its own follows", async () => {
      await using world = new StreamWorld(server, "shorter", { maxBytesPerRun: 1024 * KIBIBYTE });
      const large = (n: number) => ({ ...event(n), json: "x".repeat(100 * KIBIBYTE) });
      for (let n = 1; n <= 20; n += 1) await world.stream.publish("r", [large(n)], { isFollowed: true });
      expect(Number(await world.admin.hget("shorter:{r}:head", "bytes"))).toBeLessThanOrEqual(FOLLOWED_RUN_BYTES);
      await world.stream.publish("r", [end(21)], { isFollowed: true });
      expect((await readAll(world.stream, "r")).slice(1)).toEqual([large(19), large(20), end(21)]);
    });

    it("is kept whole when one entry is over the bound", async () => {
      await using world = new StreamWorld(server, "over", { maxBytesPerRun: KIBIBYTE });
      const large = { ...event(1), json: "x".repeat(600 * KIBIBYTE) };
      await world.stream.publish("r", [large]);
      expect(await world.open("r").next()).toEqual({ done: false, value: [large] });
    });

    it("is written though Redis has forgotten the script", async () => {
      await using world = new StreamWorld(server, "forgotten");
      await world.stream.publish("r", [event(1)]);
      await world.admin.script("FLUSH");
      await world.stream.publish("r", [end(2)]);
      expect(await readAll(world.stream, "r")).toEqual([event(1), end(2)]);
    });
  });

  describe("readers", () => {
    it("of another process get the same", async () => {
      verifies("platform:redis:pub-sub");
      await using publisher = new StreamWorld(server, "shared");
      await using reader = new StreamWorld(server, "shared");
      await using stranger = new StreamWorld(server, "another-release");
      await publisher.stream.publish("r", [event(1)]);
      const reading = reader.open("r");
      expect(await reading.next()).toEqual({ done: false, value: [event(1)] });
      await publisher.stream.publish("r", [end(2)]);
      expect(await rest(reading)).toEqual([end(2)]);
      await stranger.stream.publish("r", [end(1)]);
      expect(await readAll(stranger.stream, "r")).toEqual([end(1)]);
    });

    it("of a thousand runs share one connection, and leave nothing behind", { timeout: 60_000 }, async () => {
      await using world = new StreamWorld(server, "thousand");
      const runs = Array.from({ length: 1000 }, (_, index) => `r-${index}`);
      const reading = runs.map((run) => readAll(world.stream, run));
      await until(async () => (await world.admin.pubsub("CHANNELS", "thousand:*")).length === 1000);
      expect(`${await world.admin.call("CLIENT", "LIST", "TYPE", "pubsub")}`.trim().split("\n")).toHaveLength(1);
      for (let n = 1; n <= 3; n += 1) await Promise.all(runs.map((run) => world.stream.publish(run, [event(n)])));
      await Promise.all(runs.map((run) => world.stream.publish(run, [end(4)])));
      expect(await Promise.all(reading)).toEqual(runs.map(() => [...events(1, 3), end(4)]));
      expect(world.stream.channels).toBe(0);
      await until(async () => (await world.admin.pubsub("CHANNELS", "thousand:*")).length === 0);
    });

    it("of one run share a channel until the last leaves", async () => {
      await using world = new StreamWorld(server, "last");
      const [first, second] = [world.open("r"), world.open("r")];
      await world.stream.publish("r", [event(1)]);
      expect((await first.next()).value).toEqual([event(1)]);
      expect((await second.next()).value).toEqual([event(1)]);
      await first.return?.();
      await world.stream.publish("r", [event(2)]);
      expect((await second.next()).value).toEqual([event(2)]);
      expect(world.stream.channels).toBe(1);
      await second.return?.();
      expect(world.stream.channels).toBe(0);
    });

    it("end when their process stops", async () => {
      await using world = new StreamWorld(server, "stopped");
      await world.stream.publish("r", [event(1)]);
      const reader = world.open("r");
      expect((await reader.next()).value).toEqual([event(1)]);
      const next = reader.next();
      await world.stream[Symbol.asyncDispose]();
      expect(await next).toEqual({ done: true, value: undefined });
      await expect(world.open("r").next()).rejects.toMatchObject(UNAVAILABLE);
    });

    it("miss nothing when their connection is cut in the middle", { timeout: 60_000 }, async () => {
      await using world = new StreamWorld(server, "cut");
      const readers = Array.from({ length: 5 }, () => readAll(world.stream, "r"));
      for (let n = 1; n <= 2000; n += 1) {
        await world.stream.publish("r", [event(n)]);
        if (n % 500 === 0) await world.admin.client("KILL", "TYPE", "pubsub");
      }
      await world.stream.publish("r", [end(2001)]);
      expect(await Promise.all(readers)).toEqual(readers.map(() => [...events(1, 2000), end(2001)]));
    });

    it("find what was written but never announced, without anything that follows", async () => {
      await using world = new StreamWorld(server, "silent", { idleCheckMs: 10 });
      const reader = world.open("r");
      await world.stream.publish("r", [event(1)]);
      expect((await reader.next()).value).toEqual([event(1)]);
      const next = reader.next();
      const body = '1.1\n[1,1,2,[["e-1-2",14,1]]]\n{"id":"e-1-2"}';
      await world.admin.multi().xadd("silent:{r}:log", "1-2", "p", body).hset("silent:{r}:head", { n: 2 }).exec();
      expect((await next).value).toEqual([event(2)]);
    });
  });

  describe("what publishes too fast", () => {
    it("is refused once too much is on its way", async () => {
      await using world = new StreamWorld(server, "fast", { maxPendingCharacters: KIBIBYTE });
      const large = { ...event(1), json: "x".repeat(KIBIBYTE) };
      const first = world.stream.publish("a", [large]);
      await expect(world.stream.publish("b", [large])).rejects.toMatchObject(UNAVAILABLE);
      await first;
      await world.stream.publish("b", [large]);
      expect((await world.open("b").next()).value).toEqual([large]);
    });
  });
});

describe.skipIf(whyNot !== undefined)("a Redis that is unavailable", () => {
  it("is an error for publishers and new readers, and a resync for the others, which continue when it is back", {
    timeout: 60_000,
  }, async () => {
    await using server = await RedisServer.start();
    await using world = new StreamWorld(server, "away");
    const reader = world.open("r");
    const other = world.open("other");
    await world.stream.publish("r", events(1, 2));
    await world.stream.publish("other", [event(1)]);
    expect((await reader.next()).value).toEqual(events(1, 2));
    expect((await other.next()).value).toEqual([event(1)]);
    const afterwards = reader.next();
    const lost = other.next();

    await server.stop();
    await expect(world.stream.publish("r", [event(3)])).rejects.toMatchObject(UNAVAILABLE);
    await expect(world.open("r").next()).rejects.toMatchObject(UNAVAILABLE);
    await expect(world.stream.publish("r", [event(4)])).rejects.toMatchObject(UNAVAILABLE);

    expect((await afterwards).value).toEqual([RESYNC]);
    expect((await lost).value).toEqual([RESYNC]);
    const ready = emitted(world.redis, "ready");
    await server.start();
    await ready;
    await world.stream.publish("r", [event(5), end(6)]);
    expect(withoutRepeats(await rest(reader))).toEqual([RESYNC, event(5), end(6)]);
    await world.stream.publish("other", [end(2)]);
    expect((await rest(other)).filter(({ kind }) => kind !== "resync")).toEqual([end(2)]);
    expect(await readAll(world.stream, "r")).toEqual([RESYNC, event(5), end(6)]);
  });

  it("is an immediate error of a stream that never reached it", { timeout: 60_000 }, async () => {
    const server = await RedisServer.start();
    await server[Symbol.asyncDispose]();
    await using world = new StreamWorld(server, "never");
    await expect(world.stream.publish("r", [event(1)])).rejects.toMatchObject(UNAVAILABLE);
    await expect(world.open("r").next()).rejects.toMatchObject(UNAVAILABLE);
    expect(world.stream.channels).toBe(0);
  });

  it("is an error within a bound of a cluster's stream, which continues when it is back", {
    timeout: 60_000,
  }, async () => {
    await using server = await RedisServer.startCluster();
    // Made from nodes, so it is a client of a cluster.
    const redis = createRedis({
      clusterNodes: [{ host: "127.0.0.1", port: server.port }],
      commandTimeoutMs: 1000,
      maxReconnectDelayMs: 50,
    }) as Cluster;
    // The connection for readers would not reconnect by itself.
    const duplicate = redis.duplicate.bind(redis);
    redis.duplicate = () => duplicate([], { clusterRetryStrategy: () => 3_600_000 });
    await using stream = new RedisRunStream({ redis });
    await stream.publish("r", [event(1)]);
    const closed = emitted(redis, "close");
    await server.stop();
    await closed;
    await expect(stream.publish("r", [event(2)])).rejects.toMatchObject(UNAVAILABLE);
    const signal = new AbortController().signal;
    const late = stream.subscribe("r", { signal })[Symbol.asyncIterator]();
    await expect(late.next()).rejects.toMatchObject(UNAVAILABLE);
    const ready = emitted(redis, "ready");
    await server.start();
    await ready;
    await stream.publish("r", [event(3), end(4)]);
    expect(await readAll(stream, "r")).toEqual([RESYNC, event(3), end(4)]);
    const another = readAll(stream, "another");
    const [node] = redis.nodes();
    await expect.poll(() => node?.pubsub("CHANNELS"), PATIENTLY).toHaveLength(1);
    await stream.publish("another", [end(1)]);
    expect(await another).toEqual([end(1)]);
    redis.disconnect();
  });

  it("is read by the log while only the connection for messages is down, and by messages again later", {
    timeout: 60_000,
  }, async () => {
    await using server = await RedisServer.start();
    await using link = await FaultProxy.to(server.port);
    await using world = new StreamWorld(server, "deaf");
    // The connection would not reconnect by itself.
    const listening = world.listenBy({ port: link.port, retryStrategy: () => 3_600_000 });
    const publish = async (entry: PublishedEntry) => {
      for (const runId of ["early", "late"]) await world.stream.publish(runId, [entry]);
    };
    await publish(event(1));
    const early = world.open("early");
    expect((await early.next()).value).toEqual([event(1)]);

    link.set({ kind: "refuse" });
    const lost = emitted(listening(), "reconnecting");
    link.reset();
    await lost;
    const late = world.open("late");
    expect((await late.next()).value).toEqual([event(1)]);
    for (const n of [2, 3]) {
      await publish(event(n));
      expect([(await early.next()).value, (await late.next()).value]).toEqual([[event(n)], [event(n)]]);
    }

    link.heal();
    await listening().connect();
    await expect.poll(() => world.admin.pubsub("CHANNELS", "deaf:*"), PATIENTLY).toHaveLength(2);
    await publish(end(4));
    expect([await rest(early), await rest(late)]).toEqual([[end(4)], [end(4)]]);
  });

  it("is listened to again as soon as it answers", { timeout: 60_000 }, async () => {
    await using server = await RedisServer.start();
    await using world = new StreamWorld(server, "hastened");
    // The connection would not reconnect by itself.
    world.listenBy({ retryStrategy: () => 3_600_000 });
    await world.stream.publish("r", [event(1)]);
    const reader = world.open("r");
    expect((await reader.next()).value).toEqual([event(1)]);
    await server.stop();
    await server.start();
    await expect.poll(() => world.admin.pubsub("CHANNELS", "hastened:*"), PATIENTLY).toHaveLength(1);
    await world.stream.publish("r", [end(2)]);
    expect((await rest(reader)).filter(({ kind }) => kind !== "resync")).toEqual([end(2)]);
  });

  it("refuses a wrong password and takes the right one", { timeout: 60_000 }, async () => {
    await using server = await RedisServer.start(["--requirepass", "right"]);
    const wrong = createRedis({ url: server.url, password: "wrong" });
    const right = createRedis({ url: server.url, password: "right" });
    await using refused = new RedisRunStream({ redis: wrong });
    await using taken = new RedisRunStream({ redis: right });
    await expect(refused.publish("r", [end(1)])).rejects.toMatchObject(UNAVAILABLE);
    await taken.publish("r", [end(1)]);
    expect(await readAll(taken, "r")).toEqual([end(1)]);
    wrong.disconnect();
    right.disconnect();
  });
});
