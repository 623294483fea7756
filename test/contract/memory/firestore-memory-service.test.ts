import { describe, expect, it } from "vitest";
import { FirestoreMemoryService } from "#adapters/firestore/firestore-memory-service.ts";
import type { Embedder } from "#kit/memory/embedder.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { createTenantKeys } from "#test/helpers/security/tenant-keys.ts";
import { useFirestore } from "#test/helpers/servers/use-firestore.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { whyNoFirestore } from "#tooling/emulators/firestore-emulator.ts";
import { MEMORY } from "../stores/metered-operations.ts";
import { meteredStoreContract } from "../stores/metered-store.ts";
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
    meteredStoreContract({
      ...MEMORY,
      create: async (storage) => {
        const database = openDatabase();
        const open = () => {
          const sources = { clock: new FixedClock(CONTRACT_TIME_MS), ids: new SequentialIds() };
          const service = new FirestoreMemoryService({ database, storage, sealer: encryption?.sealer, ...sources });
          return encryption?.withKeys(service) ?? service;
        };
        return { store: open(), reopen: async () => open(), dispose: () => database[Symbol.asyncDispose]() };
      },
    });
  });

  it("finds by meaning too with an embedder, and by words when that fails", async () => {
    await using database = openDatabase();
    const embedder = new TwoTopics();
    const sources = { clock: new FixedClock(CONTRACT_TIME_MS), ids: new SequentialIds() };
    const service = new FirestoreMemoryService({ database, embedder, ...sources });
    const scope = { appName: "app", userId: "user" };
    const remember = (id: string, text: string) =>
      service.addMemoryEntries(scope, [{ id, content: { parts: [{ text }] } }]);
    const found = async (query: string) => (await service.searchMemory(scope, query)).memories.map(({ id }) => id);
    await remember("car", "drives a car");
    await remember("tea", "drinks tea");
    await remember("both", "tea in the car");
    expect(await found("automobile")).toEqual(["car", "both"]);
    expect(await found("car")).toEqual(["both", "car"]);
    embedder.fails = true;
    await remember("boat", "has a boat");
    expect([await found("automobile"), await found("boat")]).toEqual([[], ["boat"]]);
    expect(await service.searchMemory({ appName: "app", userId: "other" }, "automobile")).toEqual({ memories: [] });
  });
});

/** An embedder for which a car is an automobile, and tea is something else. */
class TwoTopics implements Embedder {
  readonly model = "two-topics";
  fails = false;

  async embed(texts: readonly string[]): Promise<readonly (readonly number[])[]> {
    if (this.fails) throw new Error("out of order");
    return texts.map((text) => [/car|automobile/.test(text) ? 1 : 0, /tea/.test(text) ? 0.5 : 0, 0.01]);
  }
}
