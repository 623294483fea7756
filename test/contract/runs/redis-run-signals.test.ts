import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRedis } from "#adapters/redis/create-redis.ts";
import { RedisRunSignals } from "#adapters/redis/redis-run-signals.ts";
import type { RunSignal } from "#kit/runs/stream/run-signals.ts";
import { RedisServer, whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { runSignalsContract } from "./run-signals.ts";

let server: RedisServer | undefined;

function running(): RedisServer {
  if (server === undefined) throw new Error("There is no server.");
  return server;
}

/** Two processes' ends, with the keys of one release. */
function open(keyPrefix: string) {
  const clients = [createRedis({ url: running().url }), createRedis({ url: running().url })] as const;
  const ends = [
    new RedisRunSignals({ redis: clients[0], keyPrefix }),
    new RedisRunSignals({ redis: clients[1], keyPrefix }),
  ] as const;
  const [redis] = clients;
  /** Redis counts the connections that listen. */
  const settle = async (listeners: number): Promise<void> => {
    await expect
      .poll(() => redis.pubsub("NUMSUB", `${keyPrefix}:signals`))
      .toEqual([`${keyPrefix}:signals`, listeners]);
  };
  const dispose = async (): Promise<void> => {
    for (const end of ends) await end[Symbol.asyncDispose]();
    for (const client of clients) client.disconnect();
  };
  return { ends, clients, settle, dispose };
}

describe.skipIf(whyNoRedis() !== undefined)("RedisRunSignals", () => {
  let created = 0;

  beforeAll(async () => {
    server = await RedisServer.start();
  });

  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
  });

  runSignalsContract({
    create: async () => {
      created += 1;
      const { ends, settle, dispose } = open(`test-${created}`);
      return { ends, settle: () => settle(2), dispose };
    },
  });

  it("come again after Redis was away, and sending meanwhile does no harm", async () => {
    const { ends, settle, dispose } = open("outage");
    const { promise, resolve } = Promise.withResolvers<void>();
    const heard: RunSignal = { kind: "cancel", runId: "heard" };
    // What was sent meanwhile may come late, or never.
    using _ = ends[1].listen((signal) => signal.kind === heard.kind && signal.runId === heard.runId && resolve());
    await settle(1);
    await running().stop();
    ends[0].send({ kind: "cancel", runId: "lost" });
    await running().start();
    await settle(1);
    ends[0].send(heard);
    await promise;
    await dispose();
  });
});
