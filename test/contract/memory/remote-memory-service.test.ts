import { describe } from "vitest";
import { RemoteMemoryService } from "#adapters/grpc/remote-memory-service.ts";
import { SqliteMemoryService } from "#adapters/sqlite/sqlite-memory-service.ts";
import type { MemoryService } from "#kit/memory/memory-service.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemoryMemoryService } from "#ports/memory/in-memory-memory-service.ts";
import type { MeteredStore } from "#ports/storage-limits/metered-amounts.ts";
import { createMemoryServer } from "#services/memory/server.ts";
import { overLoopback } from "#test/helpers/servers/loopback.ts";
import { MEMORY } from "../stores/metered-operations.ts";
import { type MeteredStoreContract, meteredStoreContract } from "../stores/metered-store.ts";
import { memoryOldDataContract } from "./memory-old-data.ts";
import { CONTRACT_TIME_MS, type MemoryServiceContract, memoryServiceContract } from "./memory-service.ts";
import { memoryTenantsContract } from "./memory-tenants.ts";

const sources = () => ({ clock: new FixedClock(CONTRACT_TIME_MS), ids: new SequentialIds() });

describe.each<[string, () => MemoryService & MeteredStore & Partial<AsyncDisposable>]>([
  ["InMemoryMemoryService", () => new InMemoryMemoryService(sources())],
  ["SqliteMemoryService", () => new SqliteMemoryService({ path: ":memory:", ...sources() })],
])("RemoteMemoryService in front of %s", (_, open) => {
  const contract: MemoryServiceContract = {
    create: async () => {
      const memory = open();
      const server = createMemoryServer({ memory, logger: silentLogger });
      const { port, dispose } = await overLoopback(server, (options) => new RemoteMemoryService(options));
      const disposeAll = async (): Promise<void> => {
        await dispose();
        await memory[Symbol.asyncDispose]?.();
      };
      return { service: port, dispose: disposeAll };
    },
  };
  memoryServiceContract(contract);
  memoryTenantsContract(contract);
  const createMetered: MeteredStoreContract<MemoryService & MeteredStore>["create"] = async (storage) => {
    const server = createMemoryServer({
      memory: new InMemoryMemoryService({ ...sources(), storage }),
      logger: silentLogger,
    });
    const { port, dispose } = await overLoopback(server, (options) => new RemoteMemoryService(options));
    return { store: port, dispose };
  };
  meteredStoreContract({ ...MEMORY, create: createMetered });
  memoryOldDataContract(contract, createMetered);
});
