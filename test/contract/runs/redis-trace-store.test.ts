import { afterAll, beforeAll, describe } from "vitest";
import { createRedis } from "#adapters/redis/create-redis.ts";
import type { RedisClient } from "#adapters/redis/redis-client.ts";
import { RedisTraceStore } from "#adapters/redis/redis-trace-store.ts";
import { RedisServer, whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { traceStoreContract } from "./trace-store.ts";

const whyNot = whyNoRedis();

function contractOn(startServer: () => Promise<RedisServer>, connect: (server: RedisServer) => RedisClient): void {
  let server: RedisServer | undefined;
  let created = 0;

  beforeAll(async () => {
    server = await startServer();
  });

  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
  });

  traceStoreContract({
    create: async () => {
      if (server === undefined) throw new Error("There is no server.");
      const redis = connect(server);
      created += 1;
      const service = new RedisTraceStore({ redis, keyPrefix: `test-${created}` });
      const dispose = async () => {
        service[Symbol.dispose]();
        redis.disconnect();
      };
      return { service, dispose };
    },
  });
}

describe.skipIf(whyNot !== undefined)("RedisTraceStore", () => {
  contractOn(
    () => RedisServer.start(),
    ({ url }) => createRedis({ url }),
  );
});

describe.skipIf(whyNot !== undefined)("RedisTraceStore on a cluster", () => {
  contractOn(
    () => RedisServer.startCluster(),
    ({ port }) => createRedis({ clusterNodes: [{ host: "127.0.0.1", port }] }),
  );
});
