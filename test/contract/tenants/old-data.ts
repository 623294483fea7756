import { expect, it } from "vitest";
import { MAX_OLD_PAGE, type OldItem, oldDataOf } from "#ports/tenants/old-data.ts";

export interface OldDataContract<Store extends object> {
  readonly create: () => Promise<{ readonly service: Store; readonly dispose: () => Promise<void> }>;
  /** Stores the item under its names with its time, and replaces one of these names. */
  readonly put: (store: Store, item: OldItem) => Promise<void>;
  readonly isThere: (store: Store, item: OldItem) => Promise<boolean>;
  /** Names that the store keeps apart; the first two differ in their tenant alone. */
  readonly names: readonly Omit<OldItem, "timeMs">[];
}

const OLD = 1_700_000_000_000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The items of all tenants by their age, and the deletion of old ones. */
export function oldDataContract<Store extends object>(contract: OldDataContract<Store>): void {
  const { put, isThere, names } = contract;
  const items = names.map((name): OldItem => ({ ...name, timeMs: OLD }));
  const [first, second] = items;
  if (first === undefined || second === undefined) throw new TypeError("The contract needs two names.");

  const withStore = (test: (store: Store) => Promise<void>) => async () => {
    const { service, dispose } = await contract.create();
    try {
      await test(service);
    } finally {
      await dispose();
    }
  };

  async function walk(store: Store, before: number, pageSize = MAX_OLD_PAGE): Promise<readonly string[]> {
    const found: OldItem[] = [];
    for (let pageToken: string | undefined, isFirst = true; isFirst || pageToken !== undefined; isFirst = false) {
      const page = await oldDataOf(store).listOldData({ before, pageSize, pageToken });
      expect(page.items.length).toBeLessThanOrEqual(pageSize);
      found.push(...page.items);
      pageToken = page.nextPageToken;
    }
    return sorted(found);
  }

  const remove = (store: Store, some: readonly OldItem[], before: number) => {
    const [{ tenantId, appName, userId } = first] = some;
    return oldDataOf(store).deleteOldData({ tenantId, appName, userId, items: some.map(namesOf), before });
  };

  it(
    "lists what is older than a time, of all tenants, page by page",
    withStore(async (store) => {
      for (const item of items) await put(store, item);
      const newer = { ...first, id: "newer", timeMs: OLD + DAY_MS };
      await put(store, newer);
      expect(await walk(store, OLD + 1)).toEqual(sorted(items));
      for (const pageSize of [1, 2]) expect(await walk(store, OLD + 1, pageSize)).toEqual(sorted(items));
      expect(await walk(store, OLD)).toEqual([]);
      expect(await walk(store, OLD + DAY_MS + 1)).toEqual(sorted([...items, newer]));
    }),
  );

  it(
    "deletes the named items of one owner that are still older, once",
    withStore(async (store) => {
      for (const item of items) await put(store, item);
      expect(await remove(store, [first], OLD)).toBe(0);
      expect(await remove(store, [first, { ...first, id: "missing" }], OLD + 1)).toBe(1);
      expect(await remove(store, [first], OLD + 1)).toBe(0);
      expect(await isThere(store, first)).toBe(false);
      for (const item of items.slice(1)) expect([item, await isThere(store, item)]).toEqual([item, true]);
      expect(await walk(store, OLD + 1)).toEqual(sorted(items.slice(1)));
      expect(await remove(store, [{ ...first, appName: "nobody" }], OLD + 1)).toBe(0);
    }),
  );

  it(
    "keeps an item that was replaced after it was listed",
    withStore(async (store) => {
      await put(store, first);
      await put(store, { ...first, timeMs: OLD + DAY_MS });
      expect(await remove(store, [first], OLD + 1)).toBe(0);
      expect(await isThere(store, first)).toBe(true);
    }),
  );

  it(
    "deletes as many as a page names",
    withStore(async (store) => {
      const many = Array.from({ length: 100 }, (_, index) => ({ ...first, id: `many-${index}` }));
      for (const item of many) await put(store, item);
      expect(await remove(store, many, OLD + 1)).toBe(100);
      expect(await walk(store, OLD + 1)).toEqual([]);
    }),
  );

  it(
    "refuses tokens of other lists, pages without a size, too many items and invalid names",
    withStore(async (store) => {
      const old = oldDataOf(store);
      for (const text of ['["other","1"]', '["old"]', "1"]) {
        const pageToken = Buffer.from(text).toString("base64url");
        await expect(old.listOldData({ before: OLD, pageSize: 1, pageToken })).rejects.toMatchObject({
          reason: "INVALID_CURSOR",
        });
      }
      await expect(old.listOldData({ before: OLD, pageSize: 0 })).rejects.toMatchObject({ reason: "INVALID_FIELD" });
      const tooMany = Array.from({ length: 101 }, () => first);
      await expect(remove(store, tooMany, OLD)).rejects.toMatchObject({
        reason: "INVALID_FIELD",
        details: { field: "items" },
      });
      await expect(remove(store, [{ ...first, tenantId: "A B" }], OLD)).rejects.toMatchObject({
        reason: "INVALID_IDENTIFIER",
      });
    }),
  );
}

function namesOf({ sessionId, id }: OldItem): Pick<OldItem, "sessionId" | "id"> {
  return { sessionId, id };
}

function sorted(items: readonly OldItem[]): readonly string[] {
  return items
    .map(({ tenantId, appName, userId, sessionId, id, timeMs }) =>
      JSON.stringify([tenantId, appName, userId, sessionId, id, timeMs]),
    )
    .sort();
}
