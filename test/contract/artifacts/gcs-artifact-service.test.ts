import { afterAll, describe, expect, it } from "vitest";
import { createGcsArtifactService } from "#adapters/gcs/create-gcs-artifact-service.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { completeStorageLimits } from "#ports/storage-limits/given-storage-limits.ts";
import { createTenantKeys } from "#test/helpers/security/tenant-keys.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { findGcsEmulator, GcsEmulator } from "#tooling/emulators/gcs-emulator.ts";
import { ARTIFACTS } from "../stores/metered-operations.ts";
import { meteredStoreContract } from "../stores/metered-store.ts";
import { artifactOldDataContract } from "./artifact-old-data.ts";
import { type ArtifactServiceContract, artifactServiceContract, CONTRACT_TIME_MS } from "./artifact-service.ts";
import { artifactTenantsContract } from "./artifact-tenants.ts";
import { artifactWalkContract } from "./artifact-walk.ts";

const found = await findGcsEmulator();

if ("missing" in found) {
  describe.skip(`GcsArtifactService (${found.missing})`);
} else {
  const emulator = await GcsEmulator.start(found.program);
  afterAll(() => emulator.stop());

  describe.each([
    { title: "GcsArtifactService" },
    { title: "GcsArtifactService that encrypts", encryption: createTenantKeys().start() },
  ])("$title", ({ encryption }) => {
    const contract: ArtifactServiceContract = {
      create: async () => {
        verifies("operations:artifact:object-storage");
        const service = createGcsArtifactService({
          bucketName: await emulator.createBucket(),
          apiEndpoint: emulator.url,
          clock: new FixedClock(CONTRACT_TIME_MS),
          ids: new SequentialIds("save"),
          sealer: encryption?.sealer,
        });
        return { service: encryption?.withKeys(service) ?? service, dispose: async () => {} };
      },
    };
    artifactServiceContract(contract);
    artifactWalkContract(contract);
    artifactOldDataContract(contract);
    artifactTenantsContract(contract);
    meteredStoreContract({
      ...ARTIFACTS,
      create: async (storage) => {
        const bucketName = await emulator.createBucket();
        let processes = 0;
        const open = () => {
          processes += 1;
          const service = createGcsArtifactService({
            ...{ bucketName, apiEndpoint: emulator.url, storage, sealer: encryption?.sealer },
            clock: new FixedClock(CONTRACT_TIME_MS),
            ids: new SequentialIds(`process ${processes} save`),
          });
          return encryption?.withKeys(service) ?? service;
        };
        return { store: open(), reopen: async () => open(), dispose: async () => {} };
      },
    });

    it("stores exactly as many as a limit allows of two processes together, and counts again without its object", async () => {
      const bucketName = await emulator.createBucket();
      const storage = completeStorageLimits({ user: { artifactVersions: 10 } }, ["artifactVersions"]);
      const open = (name: string) => {
        const service = createGcsArtifactService({
          ...{ bucketName, apiEndpoint: emulator.url, storage, sealer: encryption?.sealer },
          clock: new FixedClock(CONTRACT_TIME_MS),
          ids: new SequentialIds(name),
        });
        return encryption?.withKeys(service) ?? service;
      };
      const processes = [open("one"), open("two")];
      const session = { appName: "app", userId: "ada", id: "s" };
      const saves = Array.from({ length: 50 }, (_, index) =>
        processes[index % 2]?.saveArtifact({ session, filename: `f${index}`, artifact: { text: "x" } }),
      );
      const results = await Promise.allSettled(saves);
      expect(results.filter(({ status }) => status === "fulfilled").length).toBe(10);
      const stored = (of: (typeof processes)[number]) => of.readStored([{ scope: "user", name: "ada" }]);
      const counted = await stored(open("three"));
      expect(counted).toMatchObject([{ items: 10 }]);
      const counter = encodeURIComponent("_tenants/.stored/default/user/ada");
      const removed = await fetch(`${emulator.url}/storage/v1/b/${bucketName}/o/${counter}`, { method: "DELETE" });
      expect(removed.ok).toBe(true);
      expect(await stored(open("four"))).toEqual(counted);
    });
  });
}
