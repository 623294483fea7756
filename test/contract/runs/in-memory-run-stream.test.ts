import { describe } from "vitest";
import { InMemoryRunStream } from "#kit/runs/stream/in-memory-run-stream.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { type RunStreamContract, runStreamContract } from "./run-stream.ts";
import { runStreamTenantsContract } from "./run-stream-tenants.ts";

describe("InMemoryRunStream", () => {
  const contract: RunStreamContract = {
    create: async () => ({ service: new InMemoryRunStream({ clock: new FixedClock() }), dispose: async () => {} }),
  };
  runStreamContract(contract);
  runStreamTenantsContract(contract);
});
