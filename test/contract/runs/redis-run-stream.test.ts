import { afterAll, beforeAll, describe } from "vitest";
import { createRedis } from "#adapters/redis/create-redis.ts";
import type { RedisClient } from "#adapters/redis/redis-client.ts";
import { RedisRunStream } from "#adapters/redis/redis-run-stream.ts";
import { RedisServer, whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { type RunStreamContract, runStreamContract } from "./run-stream.ts";
import { runStreamTenantsContract } from "./run-stream-tenants.ts";

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

  const contract: RunStreamContract = {
    create: async () => {
      if (server === undefined) throw new Error("There is no server.");
      const redis = connect(server);
      created += 1;
      const service = new RedisRunStream({ redis, keyPrefix: `test-${created}` });
      const dispose = async () => {
        await service[Symbol.asyncDispose]();
        redis.disconnect();
      };
      return { service, dispose };
    },
  };
  runStreamContract(contract);
  runStreamTenantsContract(contract);
}

describe.skipIf(whyNot !== undefined)("RedisRunStream", () => {
  contractOn(
    () => RedisServer.start(),
    ({ url }) => createRedis({ url }),
  );
});

describe.skipIf(whyNot !== undefined)("RedisRunStream on a cluster", () => {
  contractOn(
    () => RedisServer.startCluster(),
    ({ port }) => createRedis({ clusterNodes: [{ host: "127.0.0.1", port }] }),
  );
});
