import { describe } from "vitest";
import { InMemoryEvalStore } from "#kit/evaluation/in-memory-eval-store.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { CONTRACT_TIME_MS, evalStoreContract } from "./eval-store.ts";

describe("InMemoryEvalStore", () => {
  evalStoreContract({
    create: async () => ({
      service: new InMemoryEvalStore({ clock: new FixedClock(CONTRACT_TIME_MS) }),
      dispose: async () => {},
    }),
  });
});
