import { describe, expect, it } from "vitest";
import { PostgresMemoryService } from "#adapters/postgres/postgres-memory-service.ts";
import type { Embedder } from "#kit/memory/embedder.ts";
import type { MemoryService } from "#kit/memory/memory-service.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import type { MeteredStore } from "#ports/storage-limits/metered-amounts.ts";
import { createTenantKeys } from "#test/helpers/security/tenant-keys.ts";
import { usePostgres } from "#test/helpers/servers/use-postgres.ts";
import { usePostgresDatabase } from "#test/helpers/servers/use-postgres-database.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";
import { findPostgresWithVector } from "#tooling/emulators/installed-postgres.ts";
import { whyNoPostgres } from "#tooling/emulators/postgres-programs.ts";
import { MEMORY } from "../stores/metered-operations.ts";
import { type MeteredStoreContract, meteredStoreContract } from "../stores/metered-store.ts";
import { memoryMeaningContract } from "./memory-meaning.ts";
import { memoryOldDataContract } from "./memory-old-data.ts";
import { CONTRACT_TIME_MS, type MemoryServiceContract, memoryServiceContract } from "./memory-service.ts";
import { memoryTenantsContract } from "./memory-tenants.ts";

describe("memory on a Postgres server", { timeout: 60_000 }, () => {
  const { openDatabase } = usePostgresDatabase();

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
        verifies("postgres:memory");
        const database = await openDatabase();
        const service = new PostgresMemoryService({ database, ...options() });
        return { service: encryption?.withKeys(service) ?? service, dispose: () => database[Symbol.asyncDispose]() };
      },
    };
    memoryServiceContract(contract);
    memoryTenantsContract(contract);
    const createMetered: MeteredStoreContract<MemoryService & MeteredStore>["create"] = async (storage) => {
      const database = await openDatabase();
      const open = () => {
        const service = new PostgresMemoryService({ database, storage, ...options() });
        return encryption?.withKeys(service) ?? service;
      };
      return { store: open(), reopen: async () => open(), dispose: () => database[Symbol.asyncDispose]() };
    };
    meteredStoreContract({ ...MEMORY, create: createMetered });
    memoryOldDataContract(contract, createMetered);
  });
});

const withVector = await findPostgresWithVector();
const programs = "programs" in withVector ? withVector.programs : undefined;

describe.skipIf(programs === undefined || whyNoPostgres() !== undefined)(
  "memory on Postgres with vectors",
  { timeout: 60_000 },
  () => {
    const { openDatabase } = usePostgres(programs === undefined ? {} : { programs });

    memoryMeaningContract({
      create: async (embedder) => {
        verifies("postgres:memory:meaning");
        const database = await openDatabase();
        await database.write("CREATE EXTENSION IF NOT EXISTS vector");
        const sources = { clock: new FixedClock(CONTRACT_TIME_MS), ids: new SequentialIds() };
        const service = new PostgresMemoryService({ database, embedder, ...sources });
        return { service, dispose: () => database[Symbol.asyncDispose]() };
      },
    });

    async function startWorld() {
      const database = await openDatabase();
      await database.write("DROP EXTENSION IF EXISTS vector");
      const logger = new RecordingLogger();
      const sources = { clock: new FixedClock(CONTRACT_TIME_MS), ids: new SequentialIds() };
      const scope = { appName: "app", userId: "user" };
      const open = (embedder: Embedder) => {
        const service = new PostgresMemoryService({ database, embedder, logger, ...sources });
        return {
          remember: (id: string) => service.addMemoryEntries(scope, [{ id, content: { parts: [{ text: id }] } }]),
          found: async (query: string) => (await service.searchMemory(scope, query)).memories.map(({ id }) => id),
        };
      };
      return { database, open, logger, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
    }

    it("are found by words while the database lacks the extension, and the embedder is not called", async () => {
      verifies("postgres:memory:meaning");
      await using world = await startWorld();
      const { database, logger, open } = world;
      const embedder = new OneMeaning("model");
      const { remember, found } = open(embedder);
      await remember("before");
      expect([await found("before"), await found("other"), embedder.calls]).toEqual([["before"], [], 0]);
      expect(logger.lines.map(({ message }) => message)).toEqual([
        "memory is kept and searched by words alone: the database lacks the extension vector",
      ]);
      // In any schema.
      await database.write('CREATE SCHEMA IF NOT EXISTS "of extensions"');
      await database.write('CREATE EXTENSION vector SCHEMA "of extensions"');
      await remember("after");
      expect(await found("other")).toEqual(["after"]);
      await database.write("DROP EXTENSION vector");
      expect([await found("other"), await found("after")]).toEqual([[], ["after"]]);
      expect(logger.lines.map(({ message }) => message).slice(1)).toEqual([
        "memory is searched by words alone: the database refuses to compare vectors",
      ]);
    });

    it("are compared with vectors of their model and length alone", async () => {
      await using world = await startWorld();
      await world.database.write("CREATE EXTENSION vector");
      await world.open(new OneMeaning("first", 3)).remember("a");
      await world.open(new OneMeaning("second", 3)).remember("b");
      await world.open(new OneMeaning("second", 4)).remember("c");
      const foundBy = (model: string, length: number) => world.open(new OneMeaning(model, length)).found("other");
      expect(await foundBy("first", 3)).toEqual(["a"]);
      expect(await foundBy("second", 3)).toEqual(["b"]);
      expect(await foundBy("second", 4)).toEqual(["c"]);
      expect(await foundBy("first", 4)).toEqual([]);
    });
  },
);

/** An embedder for which all texts mean the same. */
class OneMeaning implements Embedder {
  readonly model: string;
  readonly #length: number;
  calls = 0;

  constructor(model: string, length = 2) {
    this.model = model;
    this.#length = length;
  }

  async embed(texts: readonly string[]): Promise<readonly (readonly number[])[]> {
    this.calls += 1;
    return texts.map(() => Array<number>(this.#length).fill(1));
  }
}
