import { describe, expect, it } from "vitest";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { usePostgres } from "#test/helpers/servers/use-postgres.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { whyNoPostgres } from "#tooling/emulators/postgres-programs.ts";
import { db } from "./db.ts";

function runner(settings: Readonly<Record<string, string>>) {
  const config = loadConfig(standaloneConfigSchema, settings);
  return async (action: string, ...flags: readonly string[]) => {
    const lines: string[] = [];
    const given = new Map(flags.map((flag) => [flag, ""]));
    return [await db({ action, flags: given, config, print: (line) => lines.push(line) }), lines.join("\n")];
  };
}

describe.skipIf(whyNoPostgres() !== undefined)("fairlead db", { timeout: 60_000 }, () => {
  const { server } = usePostgres();

  it("shows the schema, checks it by its exit code, and brings it up to date", async () => {
    verifies("postgres:migrations:command");
    const run = runner({ DATABASE_URL: server().url(), DATABASE_SCHEMA: "command" });
    expect(await run("check")).toEqual([1, "Missing migrations: 1 (all stores). Run: fairlead db migrate"]);
    expect(await run("status")).toEqual([0, "NUMBER  NAME        APPLIED\n1       all stores  missing"]);
    expect(await run("migrate")).toEqual([0, "Applied migration 1 (all stores)."]);
    expect(await run("migrate")).toEqual([0, "The schema is up to date."]);
    expect(await run("check", "--json")).toEqual([0, JSON.stringify({ missing: [] }, null, 2)]);
    const applied = /^NUMBER .*\n1 {7}all stores {2}2\d{3}-\d\d-\d\dT.*Z$/;
    expect(await run("status")).toEqual([0, expect.stringMatching(applied)]);
  });
});

it("refuses other words, and a database that is not named", async () => {
  const run = runner({});
  await expect(run("drop")).rejects.toThrow("Usage: fairlead db migrate|status|check");
  await expect(run("status")).rejects.toThrow("DATABASE_URL is empty");
});
