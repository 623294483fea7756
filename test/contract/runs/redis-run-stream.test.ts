import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRedis } from "#adapters/redis/create-redis.ts";
import type { RedisClient } from "#adapters/redis/redis-client.ts";
import { RedisRunStream } from "#adapters/redis/redis-run-stream.ts";
import { newStreamKey } from "#ports/sessions/stream-key.ts";
import { RedisServer, whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { event, type RunStreamContract, runStreamContract } from "./run-stream.ts";
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

  it("makes readers that have all entries look at the record, under the run's key alone", async () => {
    const { service, dispose } = await contract.create();
    await using _ = { [Symbol.asyncDispose]: dispose };
    const name = { streamKey: newStreamKey() };
    const controller = new AbortController();
    const reader = service.subscribe("r", { ...name, signal: controller.signal })[Symbol.asyncIterator]();
    await service.publish("r", [event(1)], name);
    expect((await reader.next()).value).toEqual([event(1)]);
    const next = reader.next();
    service.recheck?.("r");
    await service.publish("r", [event(2)], name);
    expect((await next).value).toEqual([event(2)]);
    service.recheck?.("r", name);
    expect((await reader.next()).value).toEqual([{ kind: "resync" }]);
    await service.publish("r", [event(3)], name);
    expect((await reader.next()).value).toEqual([event(3)]);
    controller.abort();
  });
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
