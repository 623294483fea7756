import { once } from "node:events";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRedis } from "#adapters/redis/create-redis.ts";
import type { RedisClient } from "#adapters/redis/redis-client.ts";
import { RedisIdempotencyStore } from "#adapters/redis/redis-idempotency-store.ts";
import { RedisRunNotifications } from "#adapters/redis/redis-run-notifications.ts";
import { RedisRunQuota } from "#adapters/redis/redis-run-quota.ts";
import { RedisRunStream } from "#adapters/redis/redis-run-stream.ts";
import { RedisTraceStore } from "#adapters/redis/redis-trace-store.ts";
import type { IdempotencyStore } from "#ports/idempotency/idempotency-store.ts";
import type { RunQuota } from "#ports/runs/run-quota.ts";
import type { RunStream } from "#ports/runs/run-stream.ts";
import type { TraceStore } from "#ports/runs/trace-store.ts";
import { end, events, readAll } from "#test/contract/runs/run-stream.ts";
import { eventAttributes, span } from "#test/contract/runs/trace-store.ts";
import { type RedisFault, RedisFaults } from "#test/helpers/faults/redis-faults.ts";
import { RedisServer, whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { expectRecovery, type NetworkOperation, type NetworkWorld } from "./network-faults.ts";

const FAULTS: readonly RedisFault[] = ["lost-command", "lost-answer", "refused"];
const REASONS = ["STORE_UNAVAILABLE"];
const SESSION = { appName: "app", userId: "ada", id: "talk" };
const PLACE = {
  limits: [
    { name: "user", max: 2 },
    { name: "app", max: 3 },
  ],
  leaseMs: 3_600_000,
};

interface Ports {
  readonly keys: IdempotencyStore;
  readonly quota: RunQuota;
  readonly stream: RunStream;
  readonly traces: TraceStore;
}

const OPERATIONS: readonly NetworkOperation<Ports, void>[] = [
  { name: "claim a key", run: ({ keys }) => keys.claim("next", "print"), isRepeatable: false },
  { name: "claim a key that is claimed", run: ({ keys }) => keys.claim("key", "other") },
  { name: "complete a key", run: ({ keys }) => keys.complete("key", { fingerprint: "print", answer: "yes" }) },
  { name: "release a key", run: ({ keys }) => keys.release("key") },
  { name: "take a place", run: ({ quota }) => quota.take({ ...PLACE, id: "next" }, { waits: false }) },
  {
    name: "publish",
    run: async ({ stream }) => stream.publish("run", [...events(3, 4), end(5)], { session: SESSION }),
  },
  { name: "read a run", run: ({ stream }) => readAll(stream, "ended") },
  {
    name: "record a trace",
    run: async ({ traces }) => {
      await traces.record(SESSION, [span(2), span(3, { attributes: eventAttributes("e-3") })]);
      return traces.byEvent({}, "e-3");
    },
    isRepeatable: false,
  },
  { name: "find a span by its event", run: ({ traces }) => traces.byEvent({ appName: "app" }, "e-1") },
  { name: "find spans by their session", run: ({ traces }) => traces.bySession({}, SESSION.id) },
];

function portsOn(redis: RedisClient, keyPrefix: string) {
  const options = { redis, keyPrefix };
  const stack = new AsyncDisposableStack();
  const ports = {
    keys: stack.use(new RedisIdempotencyStore(options)),
    quota: stack.use(new RedisRunQuota(options)),
    stream: stack.use(new RedisRunStream(options)),
    traces: stack.use(new RedisTraceStore(options)),
  };
  return { ports, stack };
}

async function prepare({ keys, quota, stream, traces }: Ports): Promise<void> {
  await keys.claim("key", "print");
  await quota.take({ ...PLACE, id: "first" }, { waits: false });
  await stream.publish("run", events(1, 2));
  await stream.publish("ended", [...events(1, 2), end(3)]);
  await traces.record(SESSION, [span(1, { attributes: eventAttributes("e-1") })]);
}

describe.skipIf(whyNoRedis() !== undefined)("a connection to Redis that breaks once", () => {
  let server: RedisServer;
  let admin: Redis;
  let worlds = 0;

  beforeAll(async () => {
    server = await RedisServer.start();
    // Made from a URL, so it is a client of one server.
    admin = createRedis({ url: server.url }) as Redis;
  });

  afterAll(async () => {
    admin.disconnect();
    await server[Symbol.asyncDispose]();
  });

  async function open(): Promise<NetworkWorld<Ports, RedisFault>> {
    worlds += 1;
    const prefix = `faults-${worlds}`;
    const faults = await RedisFaults.before(server.port);
    const redis = createRedis({ url: faults.url, maxReconnectDelayMs: 10 });
    const { ports, stack } = portsOn(redis, prefix);
    const dispose = async (): Promise<void> => {
      await stack.disposeAsync();
      redis.disconnect();
      await faults[Symbol.asyncDispose]();
    };
    const stored = async () => storedUnder(admin, prefix);
    return { store: ports, faults, recovered: () => untilReady(redis), stored, [Symbol.asyncDispose]: dispose };
  }

  it.each(FAULTS)("as a %s while a listener subscribes leaves notifications that arrive", async (fault) => {
    // The first commands of two connections, and a notification.
    for (let call = 1; call <= 6; call += 1) {
      const keyPrefix = `notify-${fault}-${call}`;
      await using faults = await RedisFaults.before(server.port);
      faults.failCall(call, fault);
      const redis = createRedis({ url: faults.url, maxReconnectDelayMs: 10 });
      const notifications = new RedisRunNotifications({ redis, keyPrefix });
      const heard = Promise.withResolvers<void>();
      using _ = notifications.onNotify(({ runId }) => runId === "heard" && heard.resolve());
      notifications.notify({ kind: "cancel", runId: "may be lost" });
      await expect.poll(() => faults.hasFailed || redis.status === "ready").toBe(true);
      faults.heal();
      await untilReady(redis);
      const channel = `${keyPrefix}:notifications`;
      await expect.poll(() => admin.pubsub("NUMSUB", channel)).toEqual([channel, 1]);
      notifications.notify({ kind: "cancel", runId: "heard" });
      await heard.promise;
      await notifications[Symbol.asyncDispose]();
      redis.disconnect();
    }
  });

  describe.each(FAULTS)("as a %s", (fault) => {
    it.each(OPERATIONS)("leaves everything or nothing of $name, and the next call works", (operation) =>
      expectRecovery({ open, prepare, reasons: REASONS }, operation, fault),
    );
  });
});

async function untilReady(redis: RedisClient): Promise<void> {
  if (redis.status !== "ready") await once(redis, "ready");
}

/** The keys under the prefix; times and ids of calls are left out. */
async function storedUnder(admin: Redis, keyPrefix: string): Promise<unknown> {
  const { ports, stack } = portsOn(admin, keyPrefix);
  const places = await admin.zrange(`${keyPrefix}:{quota:app}:app`, 0, -1);
  const log = await admin.xrange(`${keyPrefix}:{run}:log`, "-", "+");
  const kept = [
    await Promise.all(["key", "next"].map((key) => admin.get(`${keyPrefix}:idempotency:${key}`).then(withoutClaim))),
    places.toSorted(),
    log,
    await ports.traces.bySession({}, SESSION.id),
  ];
  await stack.disposeAsync();
  return kept;
}

function withoutClaim(json: string | null): unknown {
  return json === null ? undefined : { ...JSON.parse(json), claimId: undefined };
}
