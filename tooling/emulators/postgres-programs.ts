import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { skipFor } from "#tooling/missing-tool.ts";

/** Where Debian and Ubuntu have the programs of each version. */
const VERSIONS = "/usr/lib/postgresql";
export const SUPERUSER = "postgres";

/** The system's user that owns a server. */
export interface ServerUser {
  readonly uid?: number;
  readonly gid?: number;
}

/** Returns why no Postgres can be started here and what installs it, or undefined if one can. */
export function postgresMissing(): string | undefined {
  if (findPrograms() === undefined) return `there is no server in ${VERSIONS} (apt-get install postgresql)`;
  if (process.getuid?.() === 0 && serverUser().uid === undefined)
    return `Postgres does not run as root, and there is no user ${SUPERUSER}`;
  return undefined;
}

/** Returns why tests that need Postgres cannot run, and reports it; undefined if they can. */
export function whyNoPostgres(): string | undefined {
  const reason = postgresMissing();
  if (reason !== undefined) skipFor("Postgres", reason);
  return reason;
}

/** The folder with the programs: the one that `POSTGRES_BIN` names, or of the newest version of Debian's packages. */
export function findPrograms(): string | undefined {
  const named = process.env["POSTGRES_BIN"] ?? "";
  if (named !== "") return named;
  if (!existsSync(VERSIONS)) return undefined;
  const versions = readdirSync(VERSIONS).sort((one, other) => Number(other) - Number(one));
  return versions
    .map((version) => join(VERSIONS, version, "bin"))
    .find((folder) => existsSync(join(folder, "postgres")));
}

/** Postgres refuses to run as root: then it runs as its package's user. */
export function serverUser(): ServerUser {
  if (process.getuid?.() !== 0) return {};
  try {
    const id = (option: string) => Number(execFileSync("id", [option, SUPERUSER], { encoding: "utf8", stdio: "pipe" }));
    return { uid: id("-u"), gid: id("-g") };
  } catch {
    return {};
  }
}
