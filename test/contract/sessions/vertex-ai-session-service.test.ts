import { describe } from "vitest";
import { VertexAiSessionService } from "#adapters/vertex/vertex-ai-session-service.ts";
import { FakeAgentPlatform } from "#test/fakes/agent-platform/fake-agent-platform.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { commonSessionContract } from "./session-service.ts";
import { eventSizesContract } from "./session-sizes.ts";
import { keptStateContract } from "./session-state.ts";
import type { SessionServiceContract } from "./session-world.ts";

/** Apps of the suites. */
const agentEngineId = { app: "1", other: "2", "other app": "3" };

describe("VertexAiSessionService", () => {
  const contract: SessionServiceContract = {
    features: { listedRevisions: false },
    create: async (sources) => {
      verifies("operations:session:managed");
      const platform = await FakeAgentPlatform.start({ clock: sources.clock });
      const place = { project: "acme", location: "us-central1", apiEndpoint: platform.url };
      const store = new VertexAiSessionService({ ...place, agentEngineId, ...sources, sleep: async () => {} });
      return {
        store,
        dispose: async () => {
          await store[Symbol.asyncDispose]();
          await platform[Symbol.asyncDispose]();
        },
      };
    },
  };
  commonSessionContract(contract);
  keptStateContract(contract);
  eventSizesContract(contract);
});
