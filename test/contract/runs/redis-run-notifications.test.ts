import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRedis } from "#adapters/redis/create-redis.ts";
import { RedisRunNotifications } from "#adapters/redis/redis-run-notifications.ts";
import type { RunNotification } from "#ports/runs/run-notifications.ts";
import { RedisServer, whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { runNotificationsContract } from "./run-notifications.ts";

let server: RedisServer | undefined;

function running(): RedisServer {
  if (server === undefined) throw new Error("There is no server.");
  return server;
}

/** Notifications of two processes, with the keys of one release. */
function open(keyPrefix: string) {
  const clients = [createRedis({ url: running().url }), createRedis({ url: running().url })] as const;
  const ends = [
    new RedisRunNotifications({ redis: clients[0], keyPrefix }),
    new RedisRunNotifications({ redis: clients[1], keyPrefix }),
  ] as const;
  const [redis] = clients;
  /** Redis counts the listening connections. */
  const settle = async (listeners: number): Promise<void> => {
    await expect
      .poll(() => redis.pubsub("NUMSUB", `${keyPrefix}:notifications`))
      .toEqual([`${keyPrefix}:notifications`, listeners]);
  };
  const dispose = async (): Promise<void> => {
    for (const end of ends) await end[Symbol.asyncDispose]();
    for (const client of clients) client.disconnect();
  };
  return { ends, clients, settle, dispose };
}

describe.skipIf(whyNoRedis() !== undefined)("RedisRunNotifications", () => {
  let created = 0;

  beforeAll(async () => {
    server = await RedisServer.start();
  });

  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
  });

  runNotificationsContract({
    create: async () => {
      created += 1;
      const { ends, settle, dispose } = open(`test-${created}`);
      return { ends, settle: () => settle(2), dispose };
    },
  });

  it("arrive again after an outage of Redis, and sending during it does no harm", async () => {
    const { ends, settle, dispose } = open("outage");
    const { promise, resolve } = Promise.withResolvers<void>();
    const heard: RunNotification = { kind: "cancel", runId: "heard" };
    // Notifications of that time may come late, or never.
    using _ = ends[1].onNotify(
      (notification) => notification.kind === heard.kind && notification.runId === heard.runId && resolve(),
    );
    await settle(1);
    await running().stop();
    ends[0].notify({ kind: "cancel", runId: "lost" });
    await running().start();
    await settle(1);
    ends[0].notify(heard);
    await promise;
    await dispose();
  });
});
