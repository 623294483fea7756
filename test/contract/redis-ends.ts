import { afterAll, beforeAll } from "vitest";
import { createRedis } from "#adapters/redis/create-redis.ts";
import type { RedisClient } from "#adapters/redis/redis-client.ts";
import { RedisServer } from "#tooling/emulators/redis-server.ts";

/** Two objects of processes that share a prefix of keys, each with a connection of its own. */
export interface RedisEnds<End> {
  readonly ends: readonly [End, End];
  readonly clients: readonly [RedisClient, RedisClient];
  readonly keyPrefix: string;
  readonly dispose: () => Promise<void>;
}

/** A Redis and a Redis cluster for the tests of a group, and what opens two ends at one of them. */
export function useRedisEnds<End extends AsyncDisposable>(
  create: (redis: RedisClient, keyPrefix: string) => End,
): { readonly open: (at: "server" | "cluster") => RedisEnds<End>; readonly server: () => RedisServer } {
  let server: RedisServer | undefined;
  let cluster: RedisServer | undefined;
  let created = 0;

  beforeAll(async () => {
    server = await RedisServer.start();
    cluster = await RedisServer.startCluster();
  });

  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  });

  const started = (found: RedisServer | undefined): RedisServer => {
    if (found === undefined) throw new Error("There is no server.");
    return found;
  };
  const connect = (at: "server" | "cluster"): RedisClient =>
    at === "cluster"
      ? createRedis({ clusterNodes: [{ host: "127.0.0.1", port: started(cluster).port }] })
      : createRedis({ url: started(server).url });
  const open = (at: "server" | "cluster"): RedisEnds<End> => {
    created += 1;
    const keyPrefix = `test-${created}`;
    const clients = [connect(at), connect(at)] as const;
    const ends = [create(clients[0], keyPrefix), create(clients[1], keyPrefix)] as const;
    const dispose = async () => {
      for (const end of ends) await end[Symbol.asyncDispose]();
      for (const client of clients) client.disconnect();
    };
    return { ends, clients, keyPrefix, dispose };
  };
  return { open, server: () => started(server) };
}
