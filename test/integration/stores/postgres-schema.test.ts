import { describe, expect, it } from "vitest";
import { assertSchema, migrate, schemaStatus } from "#adapters/postgres/schema/migrate.ts";
import { MIGRATIONS } from "#adapters/postgres/schema/migrations.ts";
import type { Migration } from "#ports/rows/migrations.ts";
import { usePostgres } from "#test/helpers/servers/use-postgres.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { whyNoPostgres } from "#tooling/emulators/postgres-programs.ts";

const FIRST: Migration = {
  number: 1,
  name: "notes",
  oldest: 1,
  sql: "CREATE TABLE fairlead.notes (text text NOT NULL)",
};
/** Adds: the release that knows only the first one can still write. */
const EXPAND: Migration = {
  number: 2,
  name: "authors of notes",
  oldest: 1,
  sql: "ALTER TABLE fairlead.notes ADD COLUMN author text; CREATE INDEX notes_of_author ON fairlead.notes (author)",
};
/** Removes what that release needs. */
const CONTRACT: Migration = {
  number: 3,
  name: "notes without text",
  oldest: 2,
  sql: "ALTER TABLE fairlead.notes DROP COLUMN text",
};
const BROKEN: Migration = {
  number: 2,
  name: "broken",
  oldest: 1,
  sql: "ALTER TABLE fairlead.notes ADD COLUMN other text; SELECT 1 / 0",
};

describe.skipIf(whyNoPostgres() !== undefined)("the schema in Postgres", { timeout: 60_000 }, () => {
  const { newSchema, openDatabase, server } = usePostgres();
  const openEmpty = (schema = newSchema()) => openDatabase({ schema, prepare: undefined });
  const appliedIn = async (database: Parameters<typeof schemaStatus>[0], known: readonly Migration[]) =>
    (await schemaStatus(database, known)).applied.map(({ number }) => number);

  it("has migrations that are numbered without gaps, and none that asks for one that comes later", () => {
    expect(MIGRATIONS.map(({ number }) => number)).toEqual(MIGRATIONS.map((_, index) => index + 1));
    expect(MIGRATIONS.filter(({ number, oldest }) => oldest > number)).toEqual([]);
  });

  it("is made once by any number of processes that start at the same time", async () => {
    verifies("postgres:migrations");
    const schema = newSchema();
    const databases = await Promise.all(Array.from({ length: 6 }, () => openEmpty(schema)));
    const done = await Promise.all(databases.map((database) => migrate(database, [FIRST, EXPAND])));
    expect(
      done
        .flat()
        .map(({ number }) => number)
        .sort(),
    ).toEqual([1, 2]);
    expect(await appliedIn(databases[0]!, [FIRST, EXPAND])).toEqual([1, 2]);
    await Promise.all(databases.map((database) => database[Symbol.asyncDispose]()));
  });

  it("is as it was before a migration that fails, and then continues", async () => {
    verifies("postgres:migrations");
    await using database = await openEmpty();
    await expect(migrate(database, [FIRST, BROKEN])).rejects.toThrow("division by zero");
    expect(await appliedIn(database, [FIRST])).toEqual([1]);
    await database.write("INSERT INTO fairlead.notes VALUES ('a')");
    expect((await migrate(database, [FIRST, EXPAND])).map(({ number }) => number)).toEqual([2]);
    expect(await database.read("SELECT * FROM fairlead.notes")).toEqual([{ text: "a", author: null }]);
  });

  it("can be used by the former release after a migration that adds, and not after one that removes", async () => {
    verifies("postgres:migrations:releases");
    await using database = await openEmpty();
    await migrate(database, [FIRST, EXPAND]);
    await assertSchema(database, [FIRST]);
    await migrate(database, [FIRST]);
    await database.write("INSERT INTO fairlead.notes (text) VALUES ('from the former release')");
    await migrate(database, [FIRST, EXPAND, CONTRACT]);
    await assertSchema(database, [FIRST, EXPAND]);
    const refused = {
      reason: "CONFIGURATION",
      message:
        "The schema of the database is from a newer release: it needs migration 2, and this release knows migrations up to 1. " +
        "Use the newer release, or restore the backup that was made before its migration.",
    };
    await expect(assertSchema(database, [FIRST])).rejects.toMatchObject(refused);
    await expect(migrate(database, [FIRST])).rejects.toMatchObject(refused);
  });

  it("is refused where migrations are missing and may not be made, with the command that makes them", async () => {
    await using database = await openEmpty();
    await expect(assertSchema(database, [FIRST, EXPAND])).rejects.toMatchObject({
      reason: "CONFIGURATION",
      message: `The schema ${database.schema} of the database lacks the migrations 1 (notes), 2 (authors of notes). Run: fairlead db migrate`,
    });
  });

  it("that is up to date can be used by a role that may not change it", async () => {
    const schema = newSchema();
    await using admin = await openEmpty(schema);
    await migrate(admin);
    await admin.write("CREATE ROLE limited LOGIN");
    await admin.write(`GRANT USAGE ON SCHEMA "${schema}" TO limited`);
    await admin.write(`GRANT SELECT ON ALL TABLES IN SCHEMA "${schema}" TO limited`);
    const url = server().url().replace("postgres@", "limited@");
    await using limited = await openDatabase({ schema, pool: { url } });
    expect(await limited.read("SELECT count(*) AS count FROM fairlead.sessions")).toEqual([{ count: 0 }]);
  });
});
