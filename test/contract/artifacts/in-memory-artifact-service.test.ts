import { describe, expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { ARTIFACTS } from "../stores/metered-operations.ts";
import { meteredStoreContract } from "../stores/metered-store.ts";
import { artifactOldDataContract } from "./artifact-old-data.ts";
import { type ArtifactServiceContract, artifactServiceContract, CONTRACT_TIME_MS } from "./artifact-service.ts";
import { artifactTenantsContract } from "./artifact-tenants.ts";
import { answersInMemory } from "./artifact-walk.ts";

describe("InMemoryArtifactService", () => {
  const contract: ArtifactServiceContract = {
    create: async () => {
      verifies("operations:artifact:in-memory");
      const service = new InMemoryArtifactService({ clock: new FixedClock(CONTRACT_TIME_MS) });
      return { service, dispose: async () => {} };
    },
  };
  it("answers random calls as before", async () => {
    await expect(await answersInMemory(1)).toMatchFileSnapshot("answers-in-memory.txt");
  });
  artifactServiceContract(contract);
  artifactOldDataContract(contract);
  artifactTenantsContract(contract);
  meteredStoreContract({
    ...ARTIFACTS,
    create: async (storage) => ({
      store: new InMemoryArtifactService({ clock: new FixedClock(CONTRACT_TIME_MS), storage }),
      dispose: async () => {},
    }),
  });
});
