import { describe } from "vitest";
import type { MemoryService } from "#kit/memory/memory-service.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemoryMemoryService } from "#ports/memory/in-memory-memory-service.ts";
import type { MeteredStore } from "#ports/storage-limits/metered-amounts.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { MEMORY } from "../stores/metered-operations.ts";
import { type MeteredStoreContract, meteredStoreContract } from "../stores/metered-store.ts";
import { memoryOldDataContract } from "./memory-old-data.ts";
import { CONTRACT_TIME_MS, type MemoryServiceContract, memoryServiceContract } from "./memory-service.ts";
import { memoryTenantsContract } from "./memory-tenants.ts";

describe("InMemoryMemoryService", () => {
  const contract: MemoryServiceContract = {
    create: async () => {
      verifies("operations:memory:in-memory");
      const service = new InMemoryMemoryService({ clock: new FixedClock(CONTRACT_TIME_MS), ids: new SequentialIds() });
      return { service, dispose: async () => {} };
    },
  };
  memoryServiceContract(contract);
  memoryTenantsContract(contract);
  const createMetered: MeteredStoreContract<MemoryService & MeteredStore>["create"] = async (storage) => {
    const sources = { clock: new FixedClock(CONTRACT_TIME_MS), ids: new SequentialIds() };
    return { store: new InMemoryMemoryService({ ...sources, storage }), dispose: async () => {} };
  };
  meteredStoreContract({ ...MEMORY, create: createMetered });
  memoryOldDataContract(contract, createMetered);
});
