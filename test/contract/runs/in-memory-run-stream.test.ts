import { describe } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryRunStream } from "#ports/runs/in-memory-run-stream.ts";
import { type RunStreamContract, runStreamContract } from "./run-stream.ts";
import { runStreamTenantsContract } from "./run-stream-tenants.ts";

describe("InMemoryRunStream", () => {
  const contract: RunStreamContract = {
    create: async () => ({ service: new InMemoryRunStream({ clock: new FixedClock() }), dispose: async () => {} }),
  };
  runStreamContract(contract);
  runStreamTenantsContract(contract);
});
