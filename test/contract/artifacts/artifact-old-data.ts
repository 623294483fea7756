import { describe, expect, it } from "vitest";
import type { ArtifactKey, ArtifactService } from "#kit/artifacts/artifact-service.ts";
import { type OldItem, oldDataOf } from "#ports/tenants/old-data.ts";
import { verifies } from "#test/helpers/verifies.ts";
import type { ArtifactServiceContract } from "./artifact-service.ts";

const SESSION = { appName: "app", userId: "user", id: "s" };
/** All versions are between these times, whatever the store's clock is. */
const BEFORE_ALL = 1_000_000_000_000;
const AFTER_ALL = 4_000_000_000_000;

const FILES: readonly ArtifactKey[] = [
  { session: SESSION, filename: "a.txt" },
  { session: { ...SESSION, tenantId: "acme" }, filename: "a.txt" },
  { session: { ...SESSION, id: "s2" }, filename: "folder/a 1.txt" },
  { session: SESSION, filename: "user:a.txt" },
  { session: { ...SESSION, tenantId: "acme", appName: "other", userId: "ü" }, filename: "user:Ä" },
];

/** Versions of files by their age. */
export function artifactOldDataContract({ create }: ArtifactServiceContract): void {
  const withService = (test: (service: ArtifactService) => Promise<void>) => async () => {
    verifies("retention:artifacts");
    const { service, dispose } = await create();
    try {
      await test(service);
    } finally {
      await dispose();
    }
  };

  const save = (service: ArtifactService, key: ArtifactKey) =>
    service.saveArtifact({ ...key, artifact: { text: "text" } });

  async function walk(service: ArtifactService, before: number, pageSize = 500): Promise<readonly OldItem[]> {
    const found: OldItem[] = [];
    for (let pageToken: string | undefined, isFirst = true; isFirst || pageToken !== undefined; isFirst = false) {
      const page = await oldDataOf(service).listOldData({ before, pageSize, pageToken });
      expect(page.items.length).toBeLessThanOrEqual(pageSize);
      found.push(...page.items);
      pageToken = page.nextPageToken;
    }
    return found;
  }

  const remove = (service: ArtifactService, { session, filename }: ArtifactKey, version: number, before: number) => {
    const { id, ...owner } = session;
    const sessionId = filename.startsWith("user:") ? undefined : id;
    const items = [{ sessionId, id: `${filename}/${version}` }];
    return oldDataOf(service).deleteOldData({ ...owner, items, before });
  };

  describe("files by their age", () => {
    it(
      "lists versions of all tenants, page by page, without the data of messages",
      withService(async (service) => {
        for (const key of [...FILES, ...FILES]) await save(service, key);
        await save(service, { session: SESSION, filename: "_inline/data" });
        const expected = FILES.flatMap((key) => [nameOf(key, 0), nameOf(key, 1)]).sort();
        for (const pageSize of [1, 3, 500]) {
          const found = await walk(service, AFTER_ALL, pageSize);
          expect(found.map(textOf).sort()).toEqual(expected);
        }
        expect(await walk(service, BEFORE_ALL)).toEqual([]);
      }),
    );

    it.each(FILES.map((key) => [key.filename, key] as const))(
      "deletes the named version alone, once, and never uses its number again: %s",
      async (_, key) => {
        await withService(async (service) => {
          for (const file of [...FILES, ...FILES]) await save(service, file);
          expect(await remove(service, key, 0, BEFORE_ALL)).toBe(0);
          expect(await remove(service, key, 7, AFTER_ALL)).toBe(0);
          expect(await remove(service, key, 0, AFTER_ALL)).toBe(1);
          expect(await remove(service, key, 0, AFTER_ALL)).toBe(0);
          expect(await service.listVersions(key)).toEqual({ versions: [1] });
          for (const other of FILES.filter((file) => file !== key))
            expect(await service.listVersions(other)).toEqual({ versions: [0, 1] });
          expect(await remove(service, key, 1, AFTER_ALL)).toBe(1);
          expect(await service.loadArtifact(key)).toBeUndefined();
          expect((await walk(service, AFTER_ALL)).length).toBe(2 * (FILES.length - 1));
          expect((await save(service, key)).version).toBe(2);
        })();
      },
    );

    it(
      "deletes no data of messages, and refuses invalid names, tokens and sizes",
      withService(async (service) => {
        const inline = { session: SESSION, filename: "_inline/data" };
        await save(service, inline);
        expect(await remove(service, inline, 0, AFTER_ALL)).toBe(0);
        expect(await service.listVersions(inline)).toEqual({ versions: [0] });
        const old = oldDataOf(service);
        const pageToken = Buffer.from('["other","1"]').toString("base64url");
        const invalid = old.listOldData({ before: AFTER_ALL, pageSize: 1, pageToken });
        await expect(invalid).rejects.toMatchObject({ reason: "INVALID_CURSOR" });
        const empty = old.listOldData({ before: AFTER_ALL, pageSize: 0 });
        await expect(empty).rejects.toMatchObject({ reason: "INVALID_FIELD" });
        const items = Array.from({ length: 101 }, () => ({ sessionId: "s", id: "a/0" }));
        const { id: _, ...owner } = SESSION;
        const many = old.deleteOldData({ ...owner, items, before: AFTER_ALL });
        await expect(many).rejects.toMatchObject({ reason: "INVALID_FIELD", details: { field: "items" } });
        const wrong = remove(service, { session: { ...SESSION, tenantId: "A B" }, filename: "a" }, 0, AFTER_ALL);
        await expect(wrong).rejects.toMatchObject({ reason: "INVALID_IDENTIFIER" });
      }),
    );
  });
}

function nameOf({ session, filename }: ArtifactKey, version: number): string {
  const { tenantId = "default", appName, userId, id } = session;
  return JSON.stringify([tenantId, appName, userId, filename.startsWith("user:") ? "" : id, `${filename}/${version}`]);
}

function textOf({ tenantId = "default", appName, userId, sessionId = "", id }: OldItem): string {
  return JSON.stringify([tenantId, appName, userId, sessionId, id]);
}
