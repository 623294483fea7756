import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SqliteRowTable } from "#adapters/sqlite/sqlite-row-table.ts";
import { ROW_TABLES } from "#test/helpers/rows/row-tables.ts";
import { rowTableContract } from "./row-table.ts";

describe.each(ROW_TABLES)("%s", (_, create) => rowTableContract({ create }));

describe("SqliteRowTable", () => {
  it("shares its file with other tables, and keeps rows when it is closed", async () => {
    const folder = await mkdtemp(join(tmpdir(), "rows-"));
    const file = join(folder, "rows.sqlite");
    const server = new SqliteRowTable(file);
    const command = new SqliteRowTable(file);
    await command.commit([{ key: "a", value: { n: 1 } }]);
    const version = (await server.read(["a"])).get("a")?.version;
    expect(await command.commit([{ key: "a", value: { n: 2 }, expect: version }])).toBe(true);
    expect(await server.commit([{ key: "a", value: { n: 3 }, expect: version }])).toBe(false);
    for (const table of [server, command]) table[Symbol.dispose]();
    await expect(server.read(["a"])).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE" });
    using reopened = new SqliteRowTable(file);
    expect((await reopened.read(["a"])).get("a")?.value).toEqual({ n: 2 });
    await rm(folder, { recursive: true });
  });
});
