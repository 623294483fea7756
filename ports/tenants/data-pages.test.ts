import { expect, it } from "vitest";
import { InMemoryMemoryService } from "#ports/memory/in-memory-memory-service.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { isAfter, MAX_DATA_PAGE_CHARACTERS, type PlacedItem, readDataPage, readDataPageNow } from "./data-pages.ts";
import type { DataItem } from "./tenant-data.ts";
import { dataDeletionsOf, deletableDataOf, tenantDataOf } from "./tenant-data-of.ts";

const OWNER = { tenantId: "acme" };

const item = (id: string, more: object = {}): DataItem => ({ kind: "memory", id, ...more });

/** The items after a place, which is their id. */
function itemsOf(items: readonly DataItem[]) {
  return (place: readonly string[] | undefined): PlacedItem[] =>
    items.map((one) => ({ item: one, place: [String(one["id"])] })).filter((one) => isAfter(one.place, place));
}

it("pages have as many items as are asked for, and go on after the last one", async () => {
  const items = ["a", "b", "c"].map((id) => item(id));
  const read = (pageSize: number, pageToken?: string) =>
    readDataPage({ ...OWNER, pageSize, ...(pageToken !== undefined && { pageToken }) }, itemsOf(items));
  const first = await read(2);
  expect(first).toEqual({ items: items.slice(0, 2), nextPageToken: expect.any(String) });
  expect(await read(2, first.nextPageToken)).toEqual({ items: items.slice(2) });
  // A page that is just filled is the last one.
  expect(await read(3)).toEqual({ items });
  expect(readDataPageNow({ ...OWNER, pageSize: 2 }, itemsOf(items))).toEqual(first);
});

it("pages end with the item by which they are large enough", () => {
  const large = (id: string, missing: number) => item(id, { text: "x".repeat(MAX_DATA_PAGE_CHARACTERS - missing) });
  const frame = JSON.stringify(item("a", { text: "" })).length;
  const countOf = (missing: number) =>
    readDataPageNow({ ...OWNER, pageSize: 9 }, itemsOf([large("a", missing), item("b"), item("c")])).items.length;
  expect([countOf(frame), countOf(frame + 1), countOf(frame + 500)]).toEqual([1, 2, 3]);
});

it.each([0, -1, 1.5, Number.NaN])("refuse a size of %j, and tokens of others", (pageSize) => {
  expect(() => readDataPageNow({ ...OWNER, pageSize }, itemsOf([]))).toThrow(
    "pageSize must be a whole number above 0.",
  );
  for (const text of ["{", "7", "[1]", '{"a":"b"}']) {
    const pageToken = Buffer.from(text).toString("base64url");
    expect(() => readDataPageNow({ ...OWNER, pageSize: 1, pageToken }, itemsOf([]))).toThrow(
      expect.objectContaining({ reason: "INVALID_CURSOR" }),
    );
  }
});

it("places are compared part by part", () => {
  const after = [
    [["b"], ["a"]],
    [["a", "a"], ["a"]],
    [
      ["a", "b"],
      ["a", "a"],
    ],
    [
      ["b", "a"],
      ["a", "b"],
    ],
  ] as const;
  for (const [one, other] of after) expect([isAfter(one, other), isAfter(other, one)]).toEqual([true, false]);
  expect([isAfter(["a"], ["a"]), isAfter(["a"], undefined)]).toEqual([false, true]);
});

it("a store without the methods refuses to list and delete, and has no deletions in progress", async () => {
  const refused = { reason: "NOT_IMPLEMENTED" };
  const own = {};
  await expect(tenantDataOf(own).listData({ ...OWNER, pageSize: 1 })).rejects.toMatchObject(refused);
  await expect(tenantDataOf(own).deleteData({ ...OWNER, limit: 1 })).rejects.toMatchObject(refused);
  await expect(deletableDataOf(own).deleteData({ ...OWNER, limit: 1 })).rejects.toMatchObject(refused);
  await expect(dataDeletionsOf(own).beginDeletion(OWNER)).rejects.toMatchObject(refused);
  await expect(dataDeletionsOf(own).endDeletion(OWNER)).rejects.toMatchObject(refused);
  expect(await dataDeletionsOf(own).listDeletions()).toEqual([]);
  const [memory, sessions] = [new InMemoryMemoryService(), new InMemorySessionStore()];
  expect([tenantDataOf(memory), deletableDataOf(memory), dataDeletionsOf(sessions)]).toEqual([
    memory,
    memory,
    sessions,
  ]);
});
