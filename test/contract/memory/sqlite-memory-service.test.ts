import { describe } from "vitest";
import { SqliteMemoryService } from "#adapters/sqlite/sqlite-memory-service.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { CONTRACT_TIME_MS, memoryServiceContract } from "./memory-service.ts";

describe("SqliteMemoryService", () => {
  memoryServiceContract({
    create: async () => {
      verifies("operations:session:embedded");
      const clock = new FixedClock(CONTRACT_TIME_MS);
      const service = new SqliteMemoryService({ path: ":memory:", clock, ids: new SequentialIds() });
      return { service, dispose: async () => service[Symbol.asyncDispose]() };
    },
  });
});
