import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  installPostgres,
  isPostgresVersion,
  POSTGRES_VERSIONS,
  versionOf,
} from "#tooling/emulators/installed-postgres.ts";

// npm run test:postgres -- [versions]: all contracts and tests of Postgres but chaos, on servers of these versions, which npm
// installs on first use.
const SUITES = ["postgres", "cli/db"];

async function testVersions(versions: readonly number[]): Promise<number> {
  const unknown = versions.find((version) => !isPostgresVersion(version));
  if (unknown !== undefined) {
    print(`Versions are ${POSTGRES_VERSIONS.join(", ")}, not ${unknown}.`);
    return 1;
  }
  const failed: number[] = [];
  for (const version of versions.filter(isPostgresVersion)) {
    const programs = await installPostgres(version);
    print(versionOf(programs));
    if ((await runSuites(programs)) !== 0) failed.push(version);
  }
  print(failed.length === 0 ? `Passed on ${versions.join(", ")}.` : `Failed on ${failed.join(", ")}.`);
  return failed.length === 0 ? 0 : 1;
}

async function runSuites(programs: string): Promise<number> {
  const args = ["run", "--project=contract", "--project=integration", "--project=unit", "--reporter=dot"];
  const child = spawn(process.execPath, ["node_modules/vitest/vitest.mjs", ...args, ...SUITES], {
    stdio: "inherit",
    env: { ...process.env, POSTGRES_BIN: programs, REQUIRE_TEST_TOOLS: "1" },
  });
  const [code] = await once(child, "exit");
  return typeof code === "number" ? code : 1;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const asked = process.argv.slice(2).map(Number);
process.exitCode = await testVersions(asked.length > 0 ? asked : POSTGRES_VERSIONS);
