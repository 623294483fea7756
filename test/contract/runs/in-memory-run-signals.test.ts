import { describe } from "vitest";
import { InMemoryRunSignals } from "#kit/runs/stream/in-memory-run-signals.ts";
import { runSignalsContract } from "./run-signals.ts";

describe("InMemoryRunSignals", () => {
  runSignalsContract({
    create: async () => {
      const signals = new InMemoryRunSignals();
      return { ends: [signals, signals], settle: async () => {}, dispose: async () => {} };
    },
  });
});
