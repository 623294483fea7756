import { afterAll, describe, expect, it } from "vitest";
import { createS3ArtifactService } from "#adapters/s3/create-s3-artifact-service.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { completeStorageLimits } from "#ports/storage-limits/given-storage-limits.ts";
import type { StorageLimits } from "#ports/storage-limits/storage-limits.ts";
import { createTenantKeys } from "#test/helpers/security/tenant-keys.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { findS3Server, S3Server } from "#tooling/emulators/s3-server.ts";
import { ARTIFACTS } from "../stores/metered-operations.ts";
import { meteredStoreContract } from "../stores/metered-store.ts";
import { artifactOldDataContract } from "./artifact-old-data.ts";
import { type ArtifactServiceContract, artifactServiceContract, CONTRACT_TIME_MS } from "./artifact-service.ts";
import { artifactTenantsContract } from "./artifact-tenants.ts";
import { artifactWalkContract } from "./artifact-walk.ts";

const found = await findS3Server();

if ("missing" in found) {
  describe.skip(`BucketArtifactService on S3 (${found.missing})`);
} else {
  const server = await S3Server.start(found.program);
  afterAll(() => server.stop());

  describe.each([
    { title: "BucketArtifactService on S3" },
    { title: "BucketArtifactService on S3 that encrypts", encryption: createTenantKeys().start() },
  ])("$title", ({ encryption }) => {
    const open = (bucket: string, ids: string, storage?: StorageLimits) => {
      const opened = createS3ArtifactService({
        ...{ bucket, endpoint: server.url, region: server.region, credentials: server.credentials, pathStyle: true },
        clock: new FixedClock(CONTRACT_TIME_MS),
        ids: new SequentialIds(ids),
        sealer: encryption?.sealer,
        storage,
        setting: "S3_ENDPOINT",
      });
      return {
        store: encryption?.withKeys(opened.service) ?? opened.service,
        dispose: async () => opened[Symbol.dispose](),
      };
    };
    const contract: ArtifactServiceContract = {
      create: async () => {
        verifies("operations:artifact:object-storage");
        const { store, dispose } = open(await server.createBucket(), "save");
        return { service: store, dispose };
      },
    };
    artifactServiceContract(contract);
    artifactWalkContract(contract);
    artifactOldDataContract(contract);
    artifactTenantsContract(contract);
    meteredStoreContract({
      ...ARTIFACTS,
      create: async (storage) => {
        const bucket = await server.createBucket();
        const opened = [open(bucket, "process 1 save", storage)];
        const reopen = async () => {
          const next = open(bucket, `process ${opened.length + 1} save`, storage);
          opened.push(next);
          return next.store;
        };
        const dispose = async () => {
          for (const each of opened) await each.dispose();
        };
        return { store: (opened[0] ?? open(bucket, "none")).store, reopen, dispose };
      },
    });

    it("stores exactly as many as a limit allows of two processes together, and counts again without its object", async () => {
      const bucket = await server.createBucket();
      const storage = completeStorageLimits({ user: { artifactVersions: 10 } }, ["artifactVersions"]);
      const processes = ["one", "two", "three", "four"].map((name) => open(bucket, name, storage));
      const session = { appName: "app", userId: "ada", id: "s" };
      const saves = Array.from({ length: 50 }, (_, index) =>
        processes[index % 2]?.store.saveArtifact({ session, filename: `f${index}`, artifact: { text: "x" } }),
      );
      const results = await Promise.allSettled(saves);
      expect(results.filter(({ status }) => status === "fulfilled").length).toBe(10);
      const stored = (process: number) => processes[process]?.store.readStored([{ scope: "user", name: "ada" }]);
      const counted = await stored(2);
      expect(counted).toMatchObject([{ items: 10 }]);
      await server.remove(bucket, "_tenants/.stored/default/user/ada");
      expect(await stored(3)).toEqual(counted);
      for (const { dispose } of processes) await dispose();
    });
  });
}
