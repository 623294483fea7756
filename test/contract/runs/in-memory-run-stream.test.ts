import { describe } from "vitest";
import { InMemoryRunStream } from "#kit/runs/stream/in-memory-run-stream.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { runStreamContract } from "./run-stream.ts";

describe("InMemoryRunStream", () => {
  runStreamContract({
    create: async () => ({ service: new InMemoryRunStream({ clock: new FixedClock() }), dispose: async () => {} }),
  });
});
