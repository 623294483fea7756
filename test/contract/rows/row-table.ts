import { describe, expect, it } from "vitest";
import { changeRows } from "#ports/rows/change-rows.ts";
import {
  keyDigest,
  keyPart,
  MAX_COMMIT_ROWS,
  MAX_KEY_LENGTH,
  type Row,
  type RowTable,
  type RowVersion,
  type RowWrite,
} from "#ports/rows/row-table.ts";
import { eachRow, removeRows } from "#ports/rows/walk-rows.ts";
import type { OpenedTable } from "#test/helpers/rows/row-tables.ts";

export interface RowTableContract {
  /** Creates a separate table for each call. */
  readonly create: () => Promise<OpenedTable>;
}

/** The suite of every table of rows. */
export function rowTableContract({ create }: RowTableContract): void {
  const withTable = (test: (table: RowTable) => Promise<void>) => async () => {
    const { table, dispose } = await create();
    try {
      await test(table);
    } finally {
      await dispose();
    }
  };
  const valueOf = async (table: RowTable, key: string) => (await table.read([key])).get(key)?.value;
  const rowAt = async (table: RowTable, key: string): Promise<Row> =>
    (await table.read([key])).get(key) ?? expect.unreachable();
  const keysOf = async (table: RowTable, ...[range]: Parameters<RowTable["list"]>) => {
    const { rows, hasMore } = await table.list(range);
    return [rows.map(({ key }) => key).join(" "), hasMore];
  };
  const fill = async (table: RowTable, keys: readonly string[], value = {}) => {
    for (let start = 0; start < keys.length; start += MAX_COMMIT_ROWS)
      await table.commit(keys.slice(start, start + MAX_COMMIT_ROWS).map((key) => ({ key, value })));
  };

  it(
    "returns values as they were written, whatever they contain, and no object of the caller",
    withTable(async (table) => {
      const value = { text: "ä 😀 \u0000 \ud800", list: [1, -0.5, null, true, { "": [] }], __proto: { a: "b" } };
      const writes = [
        { key: "a", value },
        { key: "b", value: {} },
      ];
      expect(await table.commit(writes)).toBe(true);
      value.list.length = 0;
      const found = await table.read(["a", "b", "c", "A"]);
      expect([...found.keys()].sort()).toEqual(["a", "b"]);
      expect(found.get("a")?.value["list"]).toEqual([1, -0.5, null, true, { "": [] }]);
      expect((await rowAt(table, "a")).value).toEqual(found.get("a")?.value);
      expect(await table.read([])).toEqual(new Map());
      expect(await table.commit([])).toBe(true);
    }),
  );

  it(
    "keeps rows apart whose names differ in any character, and finds them by their parts",
    withTable(async (table) => {
      const names = ["a/b", "a,b", "a%2Cb", "a", "a ", "A", "..", ".", "__x__", "ä", "a\u0308", "😀", "x".repeat(256)];
      await fill(
        table,
        names.map((name) => `n/${keyPart(name)}/end`),
      );
      expect((await table.listKeys({ prefix: "n/", limit: 100 })).length).toBe(names.length);
      for (const name of names)
        expect(await table.listKeys({ prefix: `n/${keyPart(name)}/`, limit: 9 })).toEqual([`n/${keyPart(name)}/end`]);
      expect(keyDigest(["a", "b"])).not.toBe(keyDigest(["a,b"]));
      const long = `k/${"x".repeat(MAX_KEY_LENGTH - 2)}`;
      await fill(table, [long]);
      expect(await table.listKeys({ prefix: "k/", limit: 9 })).toEqual([long]);
    }),
  );

  it(
    "lists the keys that continue a prefix in both orders, after a key, in pages",
    withTable(async (table) => {
      const keys = ["p", "p/", "p/a", "p/a/b", "p/a0", "p/b", "p/~", "p0", "q/a"];
      await fill(table, keys.toReversed());
      const prefix = "p/";
      expect(await keysOf(table, { prefix, limit: 9 })).toEqual(["p/a p/a/b p/a0 p/b p/~", false]);
      expect(await keysOf(table, { prefix, limit: 2 })).toEqual(["p/a p/a/b", true]);
      expect(await keysOf(table, { prefix, limit: 2, after: "p/a/b" })).toEqual(["p/a0 p/b", true]);
      expect(await keysOf(table, { prefix, limit: 9, after: "p/a00" })).toEqual(["p/b p/~", false]);
      expect(await keysOf(table, { prefix, limit: 2, descending: true })).toEqual(["p/~ p/b", true]);
      expect(await keysOf(table, { prefix, limit: 9, after: "p/b", descending: true })).toEqual([
        "p/a0 p/a/b p/a",
        false,
      ]);
      expect(await keysOf(table, { prefix: "r", limit: 9 })).toEqual(["", false]);
      expect(await table.listKeys({ prefix, limit: 3, after: "p/a" })).toEqual(["p/a/b", "p/a0", "p/b"]);
      expect(await table.listKeys({ prefix, limit: 2, descending: true })).toEqual(["p/~", "p/b"]);
    }),
  );

  it(
    "ends a page by the number or the size of its rows, and every walk is complete",
    withTable(async (table) => {
      const keys = Array.from({ length: 130 }, (_, index) => `r/${String(index).padStart(3, "0")}`);
      await fill(table, keys, { text: "x".repeat(100) });
      const size = JSON.stringify({ text: "x".repeat(100) }).length;
      for (const [limit, maxCharacters, count] of [
        [7, 1_000_000, 7],
        [1000, 3 * size, 3],
        [1000, 3 * size + 1, 4],
        [1000, 1, 1],
        [60, 55 * size, 55],
        [130, 1_000_000, 130],
      ] as const)
        expect((await table.list({ prefix: "r/", limit, maxCharacters })).rows.length).toBe(count);
      const walked: string[] = [];
      for (let after: string | undefined; ; ) {
        const page = await table.list({ prefix: "r/", limit: 50, maxCharacters: 20 * size, after });
        walked.push(...page.rows.map(({ key }) => key));
        if (!page.hasMore) break;
        after = page.rows.at(-1)?.key;
      }
      expect(walked).toEqual(keys);
      expect((await Array.fromAsync(eachRow(table, { prefix: "r/", after: "r/126" }))).map(({ key }) => key)).toEqual(
        keys.slice(127),
      );
    }),
  );

  describe("a commit", () => {
    it(
      "writes all or nothing, by what its writes expect",
      withTable(async (table) => {
        // A version means something for its row alone.
        for (const key of ["a", "b"]) await fill(table, [key], { n: 1 });
        const [a, b] = [await rowAt(table, "a"), await rowAt(table, "b")];
        const set = (key: string, expect?: "missing" | RowVersion): RowWrite => ({ key, value: { n: 2 }, expect });
        const refused: RowWrite[][] = [
          [set("c"), set("a", "missing")],
          [set("c", "missing"), set("a", b.version)],
          [set("c"), set("d", a.version)],
          [set("c"), { key: "a", value: undefined, expect: b.version }],
          [
            { key: "a", value: undefined },
            { key: "d", value: undefined, expect: a.version },
          ],
        ];
        for (const writes of refused) expect(await table.commit(writes)).toBe(false);
        expect(await table.listKeys({ prefix: "", limit: 9 })).toEqual(["a", "b"]);
        expect(await valueOf(table, "a")).toEqual({ n: 1 });

        const done: RowWrite[] = [
          set("a", a.version),
          { key: "b", value: undefined, expect: b.version },
          set("c", "missing"),
        ];
        expect(await table.commit([...done, { key: "none", value: undefined }])).toBe(true);
        expect(await Promise.all(["a", "b", "c"].map((key) => valueOf(table, key)))).toEqual([
          { n: 2 },
          undefined,
          { n: 2 },
        ]);
      }),
    );

    it(
      "refuses a version from before a removal or a change, also if the value is the same again",
      withTable(async (table) => {
        await fill(table, ["a"], { n: 1 });
        const first = await rowAt(table, "a");
        await table.commit([{ key: "a", value: undefined }]);
        await fill(table, ["a"], { n: 1 });
        const second = await rowAt(table, "a");
        await fill(table, ["a"], { n: 2 });
        for (const { version } of [first, second]) {
          expect(await table.commit([{ key: "a", value: { n: 3 }, expect: version }])).toBe(false);
          expect(await table.commit([{ key: "a", value: undefined, expect: version }])).toBe(false);
        }
        // A version of a page is as good as one of a read.
        const [listed] = (await table.list({ prefix: "", limit: 1 })).rows;
        expect(await table.commit([{ key: "a", value: { n: 3 }, expect: listed?.version }])).toBe(true);
      }),
    );

    it(
      "of many rows is possible up to a limit, and a row may be written once",
      withTable(async (table) => {
        const writes = Array.from({ length: MAX_COMMIT_ROWS }, (_, index) => ({ key: `k${index}`, value: { index } }));
        expect(await table.commit(writes)).toBe(true);
        const last = { key: "last", value: {} };
        await expect(table.commit([...writes, last])).rejects.toThrow(/over 100/);
        await expect(table.commit([last, last])).rejects.toThrow(/twice/);
        for (const key of ["", "a b", "a,b", "ä", "a\n", "x".repeat(MAX_KEY_LENGTH + 1)])
          await expect(table.commit([last, { key, value: {} }])).rejects.toThrow(/key of a row/);
        expect(await table.listKeys({ prefix: "", limit: 1000 })).toHaveLength(MAX_COMMIT_ROWS);
        expect(await removeRows(table, "k1", 3)).toBe(3);
        expect(await removeRows(table, "")).toBe(MAX_COMMIT_ROWS - 3);
      }),
    );
  });

  describe("concurrent writers", () => {
    it(
      "create a row once",
      withTable(async (table) => {
        const created = await Promise.all(
          Array.from({ length: 8 }, (_, n) => table.commit([{ key: "a", value: { n }, expect: "missing" }])),
        );
        expect(created.filter((isDone) => isDone)).toHaveLength(1);
        expect(await valueOf(table, "a")).toEqual({ n: created.indexOf(true) });
      }),
    );

    it(
      "lose no change, and never half of one",
      withTable(async (table) => {
        const add = (n: number) =>
          changeRows(table, ["one", "two"], (rows) => {
            const count = (key: string) => Number(rows.get(key)?.value["n"] ?? 0);
            const writes = ["one", "two"].map((key) => ({ key, value: { n: count(key) + n } }));
            return { writes, result: count("one") === count("two") };
          });
        expect(await Promise.all([1, 2, 3, 4, 5].map(add))).toEqual(Array(5).fill(true));
        expect(await Promise.all(["one", "two"].map((key) => valueOf(table, key)))).toEqual([{ n: 15 }, { n: 15 }]);
      }),
    );

    it(
      "of any state of a row leave the value of one of them",
      withTable(async (table) => {
        const texts = ["x", "y", "z"].map((letter) => letter.repeat(350_000));
        const results = await Promise.all(texts.map((text) => table.commit([{ key: "a", value: { text } }])));
        expect(results).toEqual([true, true, true]);
        expect(texts).toContain((await valueOf(table, "a"))?.["text"]);
        const changes = [
          table.commit([{ key: "a", value: undefined }]),
          ...texts.map((text) => fill(table, ["a"], { text })),
        ];
        await Promise.all(changes);
        await table.commit([{ key: "a", value: undefined }]);
        expect(await valueOf(table, "a")).toBeUndefined();
      }),
    );
  });

  describe("big values", () => {
    it(
      "of any size and language are stored, replaced by small ones and removed",
      withTable(async (table) => {
        for (const text of ["x".repeat(3_000_000), "日".repeat(700_000), "😀".repeat(300_001), "x"]) {
          await fill(table, ["a", "b"], { text });
          expect((await valueOf(table, "a"))?.["text"] === text).toBe(true);
        }
        const page = await table.list({ prefix: "", limit: 9 });
        expect(page.rows.map(({ value }) => value)).toEqual([{ text: "x" }, { text: "x" }]);
      }),
    );

    it(
      "fit into a commit together, however many they are",
      withTable(async (table) => {
        const keys = Array.from({ length: MAX_COMMIT_ROWS }, (_, index) => `big/${String(index).padStart(2, "0")}`);
        await fill(table, keys, { text: "日".repeat(60_000) });
        expect(await table.listKeys({ prefix: "big/", limit: 1000 })).toEqual(keys);
        const { rows, hasMore } = await table.list({ prefix: "big/", limit: 1000, maxCharacters: 600_000 });
        expect([rows.length, hasMore, rows[9]?.value]).toEqual([10, true, { text: "日".repeat(60_000) }]);
        expect(await removeRows(table, "big/")).toBe(keys.length);
      }),
    );

    it(
      "are read whole while they change",
      withTable(async (table) => {
        const textOf = (n: number) => String(n % 10).repeat(400_000);
        await fill(table, ["a"], { text: textOf(0) });
        const reads: Promise<unknown>[] = [];
        for (let n = 1; n <= 4; n += 1) {
          reads.push(valueOf(table, "a"), valueOf(table, "a"));
          await fill(table, ["a"], { text: textOf(n) });
        }
        const texts = (await Promise.all(reads)).map((value) => Object.values(value ?? {})[0]);
        expect(texts.filter((text) => ![0, 1, 2, 3, 4].some((n) => textOf(n) === text))).toEqual([]);
      }),
    );
  });
}
