import { describe, expect, it } from "vitest";
import { createEvent } from "#kit/events/event.ts";
import type { MemoryScope, MemoryService } from "#kit/memory/memory-service.ts";
import type { Session } from "#kit/sessions/session.ts";
import { CONTRACT_TIME_MS, type MemoryServiceContract } from "./memory-service.ts";

const SCOPE: MemoryScope = { appName: "app", userId: "user" };
const ACME: MemoryScope = { tenantId: "acme", ...SCOPE };

/** Memory services keep two tenants with the same app, user, session and entry names apart. */
export function memoryTenantsContract({ create }: MemoryServiceContract): void {
  const withService = (test: (service: MemoryService) => Promise<void>) => async () => {
    const { service, dispose } = await create();
    try {
      await test(service);
    } finally {
      await dispose();
    }
  };
  const found = async (service: MemoryService, scope: MemoryScope, query = "tea") =>
    (await service.searchMemory(scope, query)).memories.map(({ content }) => content.parts?.[0]?.text);

  describe("memory of two tenants with the same names", () => {
    it(
      "is added, replaced, searched and deleted apart from each other",
      withService(async (service) => {
        const session = (scope: MemoryScope, text: string): Session => {
          const content = { role: "user", parts: [{ text }] };
          const event = createEvent({
            id: "e",
            invocationId: "i",
            author: "user",
            timestamp: CONTRACT_TIME_MS,
            content,
          });
          return { ...scope, id: "s", state: {}, events: [event], lastUpdateTime: CONTRACT_TIME_MS, revision: 1 };
        };
        await service.addSessionToMemory(session(SCOPE, "tea of default"));
        expect(await found(service, ACME)).toEqual([]);
        await service.addSessionToMemory(session(ACME, "tea of acme"));
        const entry = (text: string) => [{ id: "n", content: { parts: [{ text }] } }];
        await service.addMemoryEntries({ ...SCOPE, tenantId: "default" }, entry("more tea of default"));
        await service.addMemoryEntries(ACME, entry("more tea of acme"));
        expect((await found(service, ACME)).sort()).toEqual(["more tea of acme", "tea of acme"]);
        expect((await found(service, SCOPE)).sort()).toEqual(["more tea of default", "tea of default"]);
        expect(await found(service, { ...SCOPE, tenantId: "globex" })).toEqual([]);
        await service.deleteSessionMemory(ACME, "s");
        expect(await found(service, ACME)).toEqual(["more tea of acme"]);
        expect(await found(service, SCOPE)).toHaveLength(2);
      }),
    );

    it(
      "refuses an invalid tenant",
      withService(async (service) => {
        for (const tenantId of ["", "..", "a/b", "A"]) {
          const scope = { ...SCOPE, tenantId };
          const refused = { reason: "INVALID_IDENTIFIER", details: { field: "tenantId" } };
          await expect(service.searchMemory(scope, "tea")).rejects.toMatchObject(refused);
          await expect(service.addMemoryEntries(scope, [])).rejects.toMatchObject(refused);
          await expect(service.deleteSessionMemory(scope, "s")).rejects.toMatchObject(refused);
        }
      }),
    );
  });
}
