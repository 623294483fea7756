import { spawnSync } from "node:child_process";
import { stripVTControlCharacters } from "node:util";

/** The conformance suite of the protocol. */
export const PACKAGE = "@modelcontextprotocol/conformance@0.2.0-alpha.12";

/** Runs a command of the suite to its end. */
export function suite(args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync("npx", ["--yes", PACKAGE, ...args], { encoding: "utf8" });
  return { status, stdout: stripVTControlCharacters(stdout), stderr: stripVTControlCharacters(stderr) };
}

/** The names of the scenarios that the revision requires of clients or of servers. */
export function scenarioNames(revision: string, side: "Client" | "Server"): readonly string[] {
  const { stdout } = suite(["list", "--requirements", revision]);
  const [, listed = ""] = stdout.split(`${side} scenarios`);
  const lines = listed.split("\n").slice(1);
  const end = lines.findIndex((line) => !line.startsWith("  - "));
  const names = lines.slice(0, end === -1 ? undefined : end);
  return names.map((line) => line.slice("  - ".length).split(" ")[0] ?? "");
}
