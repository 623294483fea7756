import { describe } from "vitest";
import { PostgresMemoryService } from "#adapters/postgres/postgres-memory-service.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { createTenantKeys } from "#test/helpers/security/tenant-keys.ts";
import { usePostgres } from "#test/helpers/servers/use-postgres.ts";
import { whyNoPostgres } from "#tooling/emulators/postgres-programs.ts";
import { MEMORY } from "../stores/metered-operations.ts";
import { meteredStoreContract } from "../stores/metered-store.ts";
import { CONTRACT_TIME_MS, type MemoryServiceContract, memoryServiceContract } from "./memory-service.ts";
import { memoryTenantsContract } from "./memory-tenants.ts";

describe.skipIf(whyNoPostgres() !== undefined)("memory on a Postgres server", { timeout: 60_000 }, () => {
  const { openDatabase } = usePostgres();

  describe.each([
    { title: "PostgresMemoryService" },
    { title: "PostgresMemoryService that encrypts", encryption: createTenantKeys().start() },
  ])("$title", ({ encryption }) => {
    const options = () => ({
      clock: new FixedClock(CONTRACT_TIME_MS),
      ids: new SequentialIds(),
      sealer: encryption?.sealer,
    });
    const contract: MemoryServiceContract = {
      create: async () => {
        const database = await openDatabase();
        const service = new PostgresMemoryService({ database, ...options() });
        return { service: encryption?.withKeys(service) ?? service, dispose: () => database[Symbol.asyncDispose]() };
      },
    };
    memoryServiceContract(contract);
    memoryTenantsContract(contract);
    meteredStoreContract({
      ...MEMORY,
      create: async (storage) => {
        const database = await openDatabase();
        const open = () => {
          const service = new PostgresMemoryService({ database, storage, ...options() });
          return encryption?.withKeys(service) ?? service;
        };
        return { store: open(), reopen: async () => open(), dispose: () => database[Symbol.asyncDispose]() };
      },
    });
  });
});
