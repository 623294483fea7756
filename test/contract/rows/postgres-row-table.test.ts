import { describe, expect, it } from "vitest";
import { PostgresRowTable } from "#adapters/postgres/postgres-row-table.ts";
import { usePostgresDatabase } from "#test/helpers/servers/use-postgres-database.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { rowTableContract } from "./row-table.ts";

describe("PostgresRowTable", { timeout: 60_000 }, () => {
  const { openDatabase } = usePostgresDatabase();

  rowTableContract({
    create: async () => {
      verifies("postgres:rows");
      const database = await openDatabase();
      return {
        table: new PostgresRowTable({ database, name: "test" }),
        dispose: () => database[Symbol.asyncDispose](),
      };
    },
  });

  it("keeps the rows of different names apart", async () => {
    await using database = await openDatabase();
    const [one, other] = ["one", "other"].map((name) => new PostgresRowTable({ database, name }));
    await one?.commit([{ key: "a", value: { n: 1 } }]);
    expect(await other?.commit([{ key: "a", value: { n: 2 }, expect: "missing" }])).toBe(true);
    expect(await other?.commit([{ key: "a", value: undefined }])).toBe(true);
    expect((await one?.read(["a"]))?.get("a")?.value).toEqual({ n: 1 });
    expect(await other?.listKeys({ prefix: "", limit: 9 })).toEqual([]);
  });

  it("commits of several rows in different orders wait for each other, and none is lost", async () => {
    await using database = await openDatabase();
    const table = new PostgresRowTable({ database, name: "test" });
    const keys = Array.from({ length: 20 }, (_, index) => `key-${index}`);
    const commits = Array.from({ length: 40 }, (_, n) => {
      const own = n % 2 === 0 ? keys : [...keys].reverse();
      return table.commit(own.map((key) => ({ key, value: { n } })));
    });
    expect(new Set(await Promise.all(commits))).toEqual(new Set([true]));
    const { rows } = await table.list({ prefix: "key-", limit: 100 });
    // All rows are of one commit: they are the last one's.
    expect(new Set(rows.map(({ value }) => value["n"])).size).toBe(1);
    expect(new Set(rows.map(({ version }) => version)).size).toBe(keys.length);
  });
});
