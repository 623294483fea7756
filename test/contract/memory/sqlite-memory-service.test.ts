import { describe } from "vitest";
import { SqliteMemoryService } from "#adapters/sqlite/sqlite-memory-service.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { createTenantKeys } from "#test/helpers/security/tenant-keys.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { CONTRACT_TIME_MS, type MemoryServiceContract, memoryServiceContract } from "./memory-service.ts";
import { memoryTenantsContract } from "./memory-tenants.ts";

describe.each([
  { title: "SqliteMemoryService" },
  { title: "SqliteMemoryService that encrypts", encryption: createTenantKeys().start() },
])("$title", ({ encryption }) => {
  const contract: MemoryServiceContract = {
    create: async () => {
      verifies("operations:session:embedded");
      const clock = new FixedClock(CONTRACT_TIME_MS);
      const options = { path: ":memory:", clock, ids: new SequentialIds(), sealer: encryption?.sealer };
      const service = new SqliteMemoryService(options);
      return { service: encryption?.withKeys(service) ?? service, dispose: async () => service[Symbol.asyncDispose]() };
    },
  };
  memoryServiceContract(contract);
  memoryTenantsContract(contract);
});
