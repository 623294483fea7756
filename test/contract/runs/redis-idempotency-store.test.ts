import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRedis } from "#adapters/redis/create-redis.ts";
import { RedisIdempotencyStore } from "#adapters/redis/redis-idempotency-store.ts";
import { IDEMPOTENCY_CLAIM_MS, IDEMPOTENCY_TTL_MS } from "#ports/idempotency/idempotency-store.ts";
import { RedisServer, whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { idempotencyStoreContract } from "./idempotency-store.ts";

describe.skipIf(whyNoRedis() !== undefined)("RedisIdempotencyStore", () => {
  let server: RedisServer | undefined;
  let created = 0;

  const open = () => {
    if (server === undefined) throw new Error("There is no server.");
    const redis = createRedis({ url: server.url });
    created += 1;
    const keyPrefix = `test-${created}`;
    const service = new RedisIdempotencyStore({ redis, keyPrefix });
    const dispose = async () => {
      await service[Symbol.asyncDispose]();
      redis.disconnect();
    };
    return { service, redis, keyPrefix, dispose };
  };

  beforeAll(async () => {
    server = await RedisServer.start();
  });

  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
  });

  idempotencyStoreContract({ create: async () => open() });

  it("lets each key go in time", async () => {
    const { service, redis, keyPrefix, dispose } = open();
    await service.claim("k", "print");
    const claimed = await redis.pttl(`${keyPrefix}:idempotency:k`);
    await service.complete("k", { fingerprint: "print" });
    const completed = await redis.pttl(`${keyPrefix}:idempotency:k`);
    expect([claimed > 0 && claimed <= IDEMPOTENCY_CLAIM_MS, completed > IDEMPOTENCY_CLAIM_MS]).toEqual([true, true]);
    expect(completed).toBeLessThanOrEqual(IDEMPOTENCY_TTL_MS);
    await dispose();
  });
});
