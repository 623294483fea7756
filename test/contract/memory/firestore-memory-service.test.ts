import { describe } from "vitest";
import { FirestoreMemoryService } from "#adapters/firestore/firestore-memory-service.ts";
import type { MemoryService } from "#kit/memory/memory-service.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import type { MeteredStore } from "#ports/storage-limits/metered-amounts.ts";
import { createTenantKeys } from "#test/helpers/security/tenant-keys.ts";
import { useFirestore } from "#test/helpers/servers/use-firestore.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { whyNoFirestore } from "#tooling/emulators/firestore-emulator.ts";
import { MEMORY } from "../stores/metered-operations.ts";
import { type MeteredStoreContract, meteredStoreContract } from "../stores/metered-store.ts";
import { memoryMeaningContract } from "./memory-meaning.ts";
import { memoryOldDataContract } from "./memory-old-data.ts";
import { CONTRACT_TIME_MS, type MemoryServiceContract, memoryServiceContract } from "./memory-service.ts";
import { memoryTenantsContract } from "./memory-tenants.ts";

describe.skipIf(whyNoFirestore() !== undefined)("FirestoreMemoryService", { timeout: 60_000 }, () => {
  const { openDatabase } = useFirestore();

  describe.each([
    { title: "with an index of words" },
    { title: "that encrypts", encryption: createTenantKeys().start() },
  ])("$title", ({ encryption }) => {
    const contract: MemoryServiceContract = {
      create: async () => {
        verifies("operations:memory:document-database", "platform:firestore:memory");
        const database = openDatabase();
        const sources = { clock: new FixedClock(CONTRACT_TIME_MS), ids: new SequentialIds() };
        const service = new FirestoreMemoryService({ database, sealer: encryption?.sealer, ...sources });
        return { service: encryption?.withKeys(service) ?? service, dispose: () => database[Symbol.asyncDispose]() };
      },
    };
    memoryServiceContract(contract);
    memoryTenantsContract(contract);
    const createMetered: MeteredStoreContract<MemoryService & MeteredStore>["create"] = async (storage) => {
      const database = openDatabase();
      const open = () => {
        const sources = { clock: new FixedClock(CONTRACT_TIME_MS), ids: new SequentialIds() };
        const service = new FirestoreMemoryService({ database, storage, sealer: encryption?.sealer, ...sources });
        return encryption?.withKeys(service) ?? service;
      };
      return { store: open(), reopen: async () => open(), dispose: () => database[Symbol.asyncDispose]() };
    };
    meteredStoreContract({ ...MEMORY, create: createMetered });
    memoryOldDataContract(contract, createMetered);
  });

  memoryMeaningContract({
    create: async (embedder) => {
      const database = openDatabase();
      const sources = { clock: new FixedClock(CONTRACT_TIME_MS), ids: new SequentialIds() };
      const service = new FirestoreMemoryService({ database, embedder, ...sources });
      return { service, dispose: () => database[Symbol.asyncDispose]() };
    },
  });
});
