import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { allRows, openDatabase } from "./sqlite-database.ts";

const FIRST = { number: 1, name: "notes", oldest: 1, sql: "CREATE TABLE notes (text TEXT)" };
const ADDS = {
  number: 2,
  name: "authors",
  oldest: 1,
  sql: "ALTER TABLE notes ADD COLUMN author TEXT; CREATE TABLE tags (a)",
};
const REMOVES = { number: 3, name: "no tags", oldest: 3, sql: "DROP TABLE tags" };

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "migrations-"));
});
afterAll(() => rm(folder, { recursive: true }));

it("brings a file up to date at its opening, keeps its rows, and applies each migration once", () => {
  verifies("platform:sqlite-migrations");
  const file = join(folder, "grows.sqlite");
  const first = openDatabase({ file, schema: [FIRST] });
  first.exec("INSERT INTO notes VALUES ('kept')");
  first.close();
  for (let time = 0; time < 2; time += 1) {
    using database = openDatabase({ file, schema: [FIRST, ADDS] });
    expect(allRows(database.prepare("SELECT text, author FROM notes"))).toEqual([{ text: "kept", author: null }]);
    const applied = allRows<{ number: number }>(database.prepare("SELECT number, name, oldest FROM migrations"));
    expect(applied).toEqual([FIRST, ADDS].map(({ sql: _, ...row }) => row));
  }
});

it("lets an earlier release use a file that a newer one has added to, and refuses one that it has removed something from", () => {
  verifies("platform:sqlite-migrations");
  const file = join(folder, "newer.sqlite");
  openDatabase({ file, schema: [FIRST, ADDS] }).close();
  openDatabase({ file, schema: [FIRST] }).close();
  openDatabase({ file, schema: [FIRST, ADDS, REMOVES] }).close();
  expect(() => openDatabase({ file, schema: [FIRST, ADDS] })).toThrow(
    expect.objectContaining({
      reason: "CONFIGURATION",
      message: expect.stringContaining(`The data file ${file} is from a newer release: it needs migration 3`),
    }),
  );
});

it("leaves a file as it was if a migration fails", () => {
  verifies("platform:sqlite-migrations");
  const file = join(folder, "fails.sqlite");
  openDatabase({ file, schema: [FIRST] }).close();
  const broken = { number: 3, name: "broken", oldest: 1, sql: "CREATE TABLE half (a); DROP TABLE nowhere" };
  expect(() => openDatabase({ file, schema: [FIRST, ADDS, broken] })).toThrow();
  using database = openDatabase({ file, schema: [FIRST] });
  const names = allRows<{ name: string }>(database.prepare("SELECT name FROM sqlite_schema ORDER BY name"));
  expect(names.map(({ name }) => name)).toEqual(["migrations", "notes"]);
});
