import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SqliteMemoryService } from "#adapters/sqlite/sqlite-memory-service.ts";
import type { MemoryService } from "#kit/memory/memory-service.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { completeStorageLimits } from "#ports/storage-limits/given-storage-limits.ts";
import type { MeteredStore } from "#ports/storage-limits/metered-amounts.ts";
import { createTenantKeys } from "#test/helpers/security/tenant-keys.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { MEMORY } from "../stores/metered-operations.ts";
import { type MeteredStoreContract, meteredStoreContract } from "../stores/metered-store.ts";
import { memoryOldDataContract } from "./memory-old-data.ts";
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
  const createMetered: MeteredStoreContract<MemoryService & MeteredStore>["create"] = async (storage) => {
    const folder = await mkdtemp(join(tmpdir(), "fairlead-memory-"));
    const path = join(folder, "memory.sqlite");
    const clock = new FixedClock(CONTRACT_TIME_MS);
    const open = () =>
      new SqliteMemoryService({ path, clock, ids: new SequentialIds(), storage, sealer: encryption?.sealer });
    const withKeys = (service: SqliteMemoryService) => encryption?.withKeys(service) ?? service;
    let service = open();
    return {
      store: withKeys(service),
      reopen: async () => {
        await service[Symbol.asyncDispose]();
        service = open();
        return withKeys(service);
      },
      dispose: async () => {
        await service[Symbol.asyncDispose]();
        await rm(folder, { recursive: true, force: true });
      },
    };
  };
  meteredStoreContract({ ...MEMORY, create: createMetered });
  memoryOldDataContract(contract, createMetered);

  it("counts an entry that replaces one with its id once", async () => {
    const storage = completeStorageLimits({ user: { memoryBytes: 100_000 } }, ["memoryBytes"]);
    const clock = new FixedClock(CONTRACT_TIME_MS);
    const options = { path: ":memory:", clock, ids: new SequentialIds(), storage, sealer: encryption?.sealer };
    await using opened = new SqliteMemoryService(options);
    const service = encryption?.withKeys(opened) ?? opened;
    const add = (text: string) =>
      service.addMemoryEntries({ appName: "app", userId: "ada" }, [{ id: "one", content: { parts: [{ text }] } }]);
    const stored = async () => (await service.readStored([{ scope: "user", name: "ada" }]))[0];
    await add("first");
    const before = await stored();
    await add("again");
    expect([before?.items, await stored()]).toEqual([1, before]);
  });
});
