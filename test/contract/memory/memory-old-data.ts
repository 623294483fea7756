import { describe, expect, it } from "vitest";
import { createEvent } from "#kit/events/event.ts";
import type { MemoryService } from "#kit/memory/memory-service.ts";
import { inTenant } from "#kit/names/tenant.ts";
import { completeStorageLimits } from "#ports/storage-limits/given-storage-limits.ts";
import { type OldItem, oldDataOf } from "#ports/tenants/old-data.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { MEMORY } from "../stores/metered-operations.ts";
import type { MeteredStoreContract } from "../stores/metered-store.ts";
import { oldDataContract } from "../tenants/old-data.ts";
import type { MemoryServiceContract } from "./memory-service.ts";

const ENTRY = { appName: "app", userId: "user", id: "e" };

/** Entries of memory by their age. */
export function memoryOldDataContract(
  { create }: MemoryServiceContract,
  createMetered: MeteredStoreContract<Parameters<(typeof MEMORY)["put"]>[0]>["create"],
): void {
  describe("memory by its age", () => {
    oldDataContract<MemoryService>({
      create: async () => {
        verifies("retention:memory");
        return create();
      },
      put,
      isThere: async (service, { id, sessionId, ...scope }) =>
        (await service.searchMemory(scopeOf(scope), textOf({ id, sessionId }))).memories.some(
          (found) => found.id === id,
        ),
      names: [
        ENTRY,
        { ...ENTRY, tenantId: "acme" },
        { ...ENTRY, sessionId: "s" },
        { ...ENTRY, sessionId: "s2" },
        { ...ENTRY, appName: "other/app", userId: "ü" },
        { ...ENTRY, tenantId: "acme", appName: "other/app", sessionId: "s" },
      ],
    });

    it("gives back the room that a limit of stored memory counts", async () => {
      const storage = completeStorageLimits({ user: { memoryBytes: 100_000 } }, ["memoryBytes"]);
      const { store, dispose } = await createMetered(storage);
      const owner = { appName: "app", userId: "ada" };
      for (const name of ["one", "two"]) await MEMORY.put(store, owner, { name, text: "text" });
      const stored = async () => (await store.readStored([{ scope: "user", name: "ada" }]))[0];
      const both = await stored();
      const items = [{ sessionId: "one", id: "e" }];
      expect(await oldDataOf(store).deleteOldData({ ...owner, items, before: 2 })).toBe(1);
      expect([both?.items, await stored()]).toEqual([2, { items: 1, bytes: (both?.bytes ?? 0) / 2 }]);
      await dispose();
    });
  });
}

async function put(service: MemoryService, { id, sessionId, timeMs, ...owner }: OldItem): Promise<void> {
  const scope = scopeOf(owner);
  const content = { role: "user", parts: [{ text: textOf({ id, sessionId }) }] };
  if (sessionId === undefined)
    return service.addMemoryEntries(scope, [{ id, content, timestamp: new Date(timeMs).toISOString() }]);
  const event = createEvent({ id, invocationId: "i", author: "user", timestamp: timeMs, content });
  return service.addSessionToMemory({
    ...{ ...scope, id: sessionId, state: {}, events: [event], lastUpdateTime: timeMs, revision: 1 },
  });
}

/** Words that no other entry has. */
function textOf({ id, sessionId = "none" }: Pick<OldItem, "id" | "sessionId">): string {
  return `entry${id.replaceAll("-", "")}of${sessionId}`;
}

function scopeOf({ tenantId, appName, userId = "" }: Omit<OldItem, "id" | "timeMs">) {
  return { ...inTenant(tenantId), appName, userId };
}
