import { afterAll, describe } from "vitest";
import { createGcsArtifactService } from "#adapters/gcs/create-gcs-artifact-service.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { createTenantKeys } from "#test/helpers/security/tenant-keys.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { findGcsEmulator, GcsEmulator } from "#tooling/emulators/gcs-emulator.ts";
import { ARTIFACTS } from "../stores/metered-operations.ts";
import { meteredStoreContract } from "../stores/metered-store.ts";
import { type ArtifactServiceContract, artifactServiceContract, CONTRACT_TIME_MS } from "./artifact-service.ts";
import { artifactTenantsContract } from "./artifact-tenants.ts";

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
  });
}
