import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import { FileArtifactService } from "#adapters/files/file-artifact-service.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { type ArtifactServiceContract, artifactServiceContract, CONTRACT_TIME_MS } from "./artifact-service.ts";
import { artifactTenantsContract } from "./artifact-tenants.ts";

describe("FileArtifactService", () => {
  const contract: ArtifactServiceContract = {
    create: async () => {
      verifies("operations:session:embedded");
      const root = await mkdtemp(join(tmpdir(), "fairlead-artifacts-"));
      const service = new FileArtifactService({ root, clock: new FixedClock(CONTRACT_TIME_MS) });
      return { service, dispose: () => rm(root, { recursive: true, force: true }) };
    },
  };
  artifactServiceContract(contract);
  artifactTenantsContract(contract);
});
