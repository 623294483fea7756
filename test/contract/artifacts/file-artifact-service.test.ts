import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import { FileArtifactService } from "#adapters/files/file-artifact-service.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { createTenantKeys } from "#test/helpers/security/tenant-keys.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { ARTIFACTS } from "../stores/metered-operations.ts";
import { meteredStoreContract } from "../stores/metered-store.ts";
import { type ArtifactServiceContract, artifactServiceContract, CONTRACT_TIME_MS } from "./artifact-service.ts";
import { artifactTenantsContract } from "./artifact-tenants.ts";

describe.each([
  { title: "FileArtifactService" },
  { title: "FileArtifactService that encrypts", encryption: createTenantKeys().start() },
])("$title", ({ encryption }) => {
  const contract: ArtifactServiceContract = {
    create: async () => {
      verifies("operations:session:embedded");
      const root = await mkdtemp(join(tmpdir(), "fairlead-artifacts-"));
      const clock = new FixedClock(CONTRACT_TIME_MS);
      const service = new FileArtifactService({ root, clock, sealer: encryption?.sealer });
      return {
        service: encryption?.withKeys(service) ?? service,
        dispose: () => rm(root, { recursive: true, force: true }),
      };
    },
  };
  artifactServiceContract(contract);
  artifactTenantsContract(contract);
  meteredStoreContract({
    ...ARTIFACTS,
    create: async (storage) => {
      const root = await mkdtemp(join(tmpdir(), "fairlead-artifacts-"));
      const open = () => {
        const clock = new FixedClock(CONTRACT_TIME_MS);
        const service = new FileArtifactService({ root, clock, storage, sealer: encryption?.sealer });
        return encryption?.withKeys(service) ?? service;
      };
      return {
        store: open(),
        reopen: async () => open(),
        dispose: () => rm(root, { recursive: true, force: true }),
      };
    },
  });
});
