import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";
import { skipFor } from "#tooling/missing-tool.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";

/** An empty folder that is removed after the test. */
export function emptyFolder(): string {
  const path = mkdtempSync(join(tmpdir(), "command-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Runs the command in a folder until it ends. */
export async function fairlead(
  directory: string,
  args: readonly string[],
  { input = "", environment = {} }: { input?: string; environment?: Readonly<Record<string, string>> } = {},
) {
  await using command = new CliProcess(args, { directory, environment });
  command.child.stdin?.end(input);
  await command.ended;
  return { exitCode: command.child.exitCode, output: command.output };
}

/** Puts the packages of this repository where `npm install` would put those of the project. */
export function linkPackages(
  project: string,
  packages: readonly string[] = ["fairlead", "vitest", "typescript", "zod", "@types/node"],
): void {
  for (const name of packages) {
    const place = name === "fairlead" ? "" : `node_modules/${name}`;
    const link = join(project, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(REPOSITORY_ROOT, place), link);
  }
}

/** Whether tests in a terminal are skipped; says why. */
export function lacksTerminal(): boolean {
  const isThere = spawnSync("script", ["--version"]).stdout?.toString().includes("util-linux") === true;
  if (!isThere) skipFor("tests in a terminal", "the program script of util-linux is not installed");
  return !isThere;
}
