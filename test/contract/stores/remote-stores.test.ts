import { openCloudStorageArtifacts, openFirestoreStores, openRedisRunStream } from "fairlead/stores";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { verifies } from "#test/helpers/verifies.ts";
import {
  type FirestoreEmulator,
  startFirestoreEmulator,
  whyNoFirestore,
} from "#tooling/emulators/firestore-emulator.ts";
import { findGcsEmulator, GcsEmulator } from "#tooling/emulators/gcs-emulator.ts";
import { RedisServer, whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { artifactServiceContract, CONTRACT_TIME_MS } from "../artifacts/artifact-service.ts";
import {
  CONTRACT_TIME_MS as CREDENTIAL_TIME_MS,
  credentialServiceContract,
} from "../credentials/credential-service.ts";
import { CONTRACT_TIME_MS as EVAL_TIME_MS, evalStoreContract } from "../evaluations/eval-store.ts";
import { memoryServiceContract } from "../memory/memory-service.ts";
import { idempotencyStoreContract } from "../runs/idempotency-store.ts";
import { runStreamContract } from "../runs/run-stream.ts";
import { sessionServiceContract } from "../sessions/session-service.ts";
import { joinSessionStore } from "../sessions/session-world.ts";

const clock = new FixedClock(CONTRACT_TIME_MS);
const evalClock = new FixedClock(EVAL_TIME_MS);

describe.skipIf(whyNoFirestore() !== undefined)("openFirestoreStores", { timeout: 60_000 }, () => {
  let emulator: FirestoreEmulator;
  let projects = 0;
  beforeAll(async () => {
    emulator = await startFirestoreEmulator();
  }, 90_000);
  afterAll(() => emulator[Symbol.asyncDispose]());
  const open = (sources: object) => {
    projects += 1;
    return openFirestoreStores({ projectId: `stores-${projects}`, emulatorHost: emulator.host, ...sources });
  };
  sessionServiceContract({
    create: async (sources) => {
      const stores = await open(sources);
      return { store: joinSessionStore(stores), dispose: async () => stores[Symbol.asyncDispose]() };
    },
  });
  memoryServiceContract({
    create: async () => {
      const stores = await open({ clock, ids: new SequentialIds() });
      return { service: stores.memoryService, dispose: async () => stores[Symbol.asyncDispose]() };
    },
  });
  credentialServiceContract({
    create: async () => {
      const ownClock = new FixedClock(CREDENTIAL_TIME_MS);
      const credentialKeys = { current: "one", keys: { one: Buffer.alloc(32, 1) } };
      const { credentialService: service, ...stores } = await open({ clock: ownClock, credentialKeys });
      if (service === undefined) throw new Error("It has the keys of credentials.");
      return { service, clock: ownClock, dispose: async () => stores[Symbol.asyncDispose]() };
    },
  });

  it("has no store of credentials without keys", async () => {
    await using stores = await open({});
    expect(stores.credentialService).toBeUndefined();
  });

  evalStoreContract({
    create: async () => {
      const stores = await open({ clock: evalClock });
      return { service: stores.evalStore, dispose: async () => stores[Symbol.asyncDispose]() };
    },
  });
});

const gcs = await findGcsEmulator();

if ("missing" in gcs) {
  describe.skip(`openCloudStorageArtifacts (${gcs.missing})`);
} else {
  const emulator = await GcsEmulator.start(gcs.program);
  afterAll(() => emulator.stop());

  describe("openCloudStorageArtifacts", () => {
    artifactServiceContract({
      create: async () => {
        const bucket = await emulator.createBucket();
        const ids = new SequentialIds("save");
        const stores = await openCloudStorageArtifacts({ bucket, apiEndpoint: emulator.url, clock, ids });
        return { service: stores.artifactService, dispose: async () => stores[Symbol.asyncDispose]() };
      },
    });
  });
}

describe.skipIf(whyNoRedis() !== undefined)("openRedisRunStream", () => {
  let server: RedisServer;
  let created = 0;
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());
  const open = () => {
    created += 1;
    return openRedisRunStream({ url: server.url, keyPrefix: `stores-${created}` });
  };
  runStreamContract({
    create: async () => {
      const transport = await open();
      return { service: transport.runStream, dispose: async () => transport[Symbol.asyncDispose]() };
    },
  });
  idempotencyStoreContract({
    create: async () => {
      const transport = await open();
      return { service: transport.idempotencyStore, dispose: async () => transport[Symbol.asyncDispose]() };
    },
  });

  it("closes its connections when it is disposed of, also twice", async () => {
    verifies("operations:stores:opened-by-program");
    const transport = await open();
    await transport.runStream.publish("run", []);
    await transport[Symbol.asyncDispose]();
    await transport[Symbol.asyncDispose]();
    await expect(transport.idempotencyStore.claim("key", "print")).rejects.toMatchObject({
      reason: "STORE_UNAVAILABLE",
    });
  });
});
