import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import { FileArtifactService } from "#adapters/files/file-artifact-service.ts";
import { RemoteArtifactService } from "#adapters/grpc/remote-artifact-service.ts";
import type { ArtifactService } from "#kit/artifacts/artifact-service.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import type { MeteredStore } from "#ports/storage-limits/metered-amounts.ts";
import { createArtifactServer } from "#services/artifact/server.ts";
import { overLoopback } from "#test/helpers/servers/loopback.ts";
import { ARTIFACTS } from "../stores/metered-operations.ts";
import { meteredStoreContract } from "../stores/metered-store.ts";
import { artifactOldDataContract } from "./artifact-old-data.ts";
import { type ArtifactServiceContract, artifactServiceContract, CONTRACT_TIME_MS } from "./artifact-service.ts";
import { artifactTenantsContract } from "./artifact-tenants.ts";
import { artifactWalkContract } from "./artifact-walk.ts";

describe.each<[string, (root: string) => ArtifactService & MeteredStore]>([
  ["InMemoryArtifactService", () => new InMemoryArtifactService({ clock: new FixedClock(CONTRACT_TIME_MS) })],
  ["FileArtifactService", (root) => new FileArtifactService({ root, clock: new FixedClock(CONTRACT_TIME_MS) })],
])("RemoteArtifactService in front of %s", (_, open) => {
  const contract: ArtifactServiceContract = {
    create: async () => {
      const root = await mkdtemp(join(tmpdir(), "fairlead-artifacts-"));
      const server = createArtifactServer({ artifacts: open(root), logger: silentLogger });
      const { port, dispose } = await overLoopback(server, (options) => new RemoteArtifactService(options));
      const disposeAll = async (): Promise<void> => {
        await dispose();
        await rm(root, { recursive: true });
      };
      return { service: port, dispose: disposeAll };
    },
  };
  artifactServiceContract(contract);
  artifactWalkContract(contract);
  artifactOldDataContract(contract);
  artifactTenantsContract(contract);
  meteredStoreContract({
    ...ARTIFACTS,
    create: async (storage) => {
      const artifacts = new InMemoryArtifactService({ clock: new FixedClock(CONTRACT_TIME_MS), storage });
      const server = createArtifactServer({ artifacts, logger: silentLogger });
      const { port, dispose } = await overLoopback(server, (options) => new RemoteArtifactService(options));
      return { store: port, dispose };
    },
  });
});
