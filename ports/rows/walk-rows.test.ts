import { expect, it } from "vitest";
import { InMemoryRowTable } from "./in-memory-row-table.ts";
import { MAX_COMMIT_ROWS, MAX_PAGE_CHARACTERS } from "./row-table.ts";
import { eachRow, removeRows } from "./walk-rows.ts";

async function keysOf(table: InMemoryRowTable, prefix: string, after?: string): Promise<readonly string[]> {
  return (await Array.fromAsync(eachRow(table, { prefix, after }))).map(({ key }) => key);
}

it("walks over rows whose pages end by their size, and over rows that fill pages", async () => {
  const table = new InMemoryRowTable();
  const large = Array.from({ length: 5 }, (_, index) => `large/${index}`);
  const text = "x".repeat(MAX_PAGE_CHARACTERS / 2);
  for (const key of large) await table.commit([{ key, value: { text } }]);
  expect(await keysOf(table, "large/")).toEqual(large);
  expect(await keysOf(table, "large/", "large/2")).toEqual(["large/3", "large/4"]);
  const small = Array.from({ length: MAX_COMMIT_ROWS }, (_, index) => ({ key: `small/${100 + index}`, value: {} }));
  await table.commit(small);
  expect(await keysOf(table, "small/")).toEqual(small.map(({ key }) => key));
});

it("removes no more rows than asked for, in as many commits as it takes, and none of another prefix", async () => {
  const table = new InMemoryRowTable();
  for (const prefix of ["a/", "b/"])
    for (let page = 0; page < 3; page += 1)
      await table.commit(
        Array.from({ length: MAX_COMMIT_ROWS }, (_, row) => ({ key: `${prefix}${page}-${row}`, value: {} })),
      );
  expect(await removeRows(table, "a/", 120)).toBe(120);
  expect((await keysOf(table, "a/")).length).toBe(180);
  expect(await removeRows(table, "a/")).toBe(180);
  expect([await keysOf(table, "a/"), (await keysOf(table, "b/")).length]).toEqual([[], 300]);
});
