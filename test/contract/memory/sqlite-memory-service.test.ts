import { describe } from "vitest";
import { SqliteMemoryService } from "#adapters/sqlite/sqlite-memory-service.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { CONTRACT_TIME_MS, type MemoryServiceContract, memoryServiceContract } from "./memory-service.ts";
import { memoryTenantsContract } from "./memory-tenants.ts";

describe("SqliteMemoryService", () => {
  const contract: MemoryServiceContract = {
    create: async () => {
      verifies("operations:session:embedded");
      const clock = new FixedClock(CONTRACT_TIME_MS);
      const service = new SqliteMemoryService({ path: ":memory:", clock, ids: new SequentialIds() });
      return { service, dispose: async () => service[Symbol.asyncDispose]() };
    },
  };
  memoryServiceContract(contract);
  memoryTenantsContract(contract);
});
