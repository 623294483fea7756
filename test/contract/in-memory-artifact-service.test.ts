import { describe } from "vitest";
import { InMemoryArtifactService } from "#kit/artifacts/in-memory-artifact-service.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { artifactServiceContract, CONTRACT_TIME_MS } from "./artifact-service.ts";

describe("InMemoryArtifactService", () => {
  artifactServiceContract({
    create: async () => ({
      service: new InMemoryArtifactService({ clock: new FixedClock(CONTRACT_TIME_MS) }),
      dispose: async () => {},
    }),
  });
});
