import { describe } from "vitest";
import { InMemoryEvalStore } from "#kit/evaluation/in-memory-eval-store.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { evalStorageContract } from "./eval-storage.ts";
import { CONTRACT_TIME_MS, type EvalStoreContract, evalStoreContract } from "./eval-store.ts";
import { evalTenantsContract } from "./eval-tenants.ts";

describe("InMemoryEvalStore", () => {
  const contract: EvalStoreContract = {
    create: async () => ({
      service: new InMemoryEvalStore({ clock: new FixedClock(CONTRACT_TIME_MS) }),
      dispose: async () => {},
    }),
  };
  evalStoreContract(contract);
  evalTenantsContract(contract);
  evalStorageContract(async (storage) => ({
    store: new InMemoryEvalStore({ clock: new FixedClock(CONTRACT_TIME_MS), storage }),
    dispose: async () => {},
  }));
});
