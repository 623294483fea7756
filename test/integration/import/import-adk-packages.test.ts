import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { PostgresDatabase } from "#adapters/postgres/database/postgres-database.ts";
import { findNpmAdk, findPythonWithAdkDatabases } from "#test/helpers/clients/adk-clients.ts";
import { usePostgres } from "#test/helpers/servers/use-postgres.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { whyNoPostgres } from "#tooling/emulators/postgres-programs.ts";
import { createFolder, expectAsInAdk, runImport } from "./import-world.ts";

const run = promisify(execFile);
const SCRIPTS = fileURLToPath(new URL("../../fixtures/adk-databases/", import.meta.url));
const COUNT = "9";
const python = await findPythonWithAdkDatabases();
const npm = await findNpmAdk();

describe.skipIf(python === undefined)("databases that google-adk writes now", { timeout: 120_000 }, () => {
  const make = (...args: readonly string[]) => run(python ?? "", [join(SCRIPTS, "make.py"), ...args]);

  it.each(["v0", "v1", "file"])("are read as it reads them: %s", async (schema) => {
    verifies("import:adk");
    await using folder = await createFolder();
    const path = join(folder.path, "adk.sqlite");
    const { stdout } = await make(schema, schema === "file" ? path : `sqlite+aiosqlite:///${path}`, COUNT);
    const config = { DATA_DIR: join(folder.path, "data") };
    expect(await runImport(`sqlite:///${path}`, config)).toMatchObject({ code: 0 });
    await expectAsInAdk(config, stdout);
  });

  describe.skipIf(whyNoPostgres() !== undefined)("in Postgres", () => {
    const { server } = usePostgres();

    it.each(["v0", "v1"])("are read as it reads them, into Postgres: %s", async (schema) => {
      verifies("import:adk");
      await using folder = await createFolder();
      const url = new URL(server().url());
      url.pathname = `/adk_${schema}`;
      await using admin = await PostgresDatabase.open({ pool: { url: server().url() } });
      await admin.write(`CREATE DATABASE adk_${schema}`);
      const { stdout } = await make(schema, url.href.replace(/^postgres(ql)?:/, "postgresql+asyncpg:"), COUNT);
      const settings = { SESSION_STORE: "postgres", DATABASE_URL: server().url(), DATABASE_SCHEMA: `of_${schema}` };
      const config = { ...settings, DATA_DIR: join(folder.path, "data") };
      expect(await runImport(url.href, config)).toMatchObject({ code: 0 });
      await expectAsInAdk(config, stdout);
      // And from there into a data folder.
      const other = { DATABASE_SCHEMA: `of_${schema}`, DATA_DIR: join(folder.path, "other") };
      expect(await runImport(server().url(), other)).toMatchObject({ code: 0 });
      await expectAsInAdk(other, stdout);
    });
  });
});

describe.skipIf(npm === undefined)("databases that ADK for JavaScript writes now", { timeout: 120_000 }, () => {
  it("are read as it reads them", async () => {
    verifies("import:adk");
    await using folder = await createFolder();
    const path = join(folder.path, "adk.sqlite");
    const { stdout } = await run(process.execPath, [join(SCRIPTS, "make.mjs"), `sqlite://${path}`, COUNT], {
      cwd: npm,
      env: { ...process.env, MIKRO_ORM_ALLOW_VERSION_MISMATCH: "1" },
    });
    const config = { DATA_DIR: join(folder.path, "data") };
    expect(await runImport(path, config)).toMatchObject({ code: 0 });
    await expectAsInAdk(config, stdout);
  });
});
