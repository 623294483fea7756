import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { assertAgentsFolder } from "#shared/agents/agents-settings.ts";
import { paint, printColoured, printLine } from "../output/terminal.ts";
import { UsageError } from "../parse-arguments.ts";
import { appsTable, repairsList } from "./apps-table.ts";
import { checkAgents, isSound } from "./check-agents.ts";
import type { CheckResult } from "./check-problem.ts";
import { repairAgents } from "./repairs.ts";

const END_MS = 1000;
const MAX_SHOWN = 500;

export interface CheckCommand {
  readonly isJson: boolean;
  /** Makes the repairs that are certain, and checks again. */
  readonly isFix: boolean;
  /** The typed words, for processes that check after repairs. */
  readonly typed: readonly string[];
}

/** Checks every agent of the folder, prints the result, and returns the exit code: 0 if all of them can be run. */
export async function check(directory: string, { isJson, isFix, typed }: CheckCommand): Promise<number> {
  assertAgentsFolder(directory);
  // Keeps the process alive: if a module awaits a promise that never settles, Node would end the process without a
  // report.
  const keepAlive = setInterval(() => {}, END_MS);
  const checking = isFix
    ? repairAgents(resolve(directory), () => checkInProcess(typed))
    : checkAgents(directory).then((result) => ({ result, repaired: [] }));
  const { result, repaired } = await checking.finally(() => clearInterval(keepAlive));
  const isOk = isSound(result);
  if (isJson) printLine(JSON.stringify({ ok: isOk, ...(isFix && { repaired }), ...result }, null, 2));
  else {
    if (repaired.length > 0) printColoured(`${repairsList(repaired, paint)}\n`);
    printColoured(appsTable(result, paint));
    const open = [...result.problems, ...result.apps.flatMap(({ problems }) => problems)];
    const repairable = open.filter(({ repair }) => repair !== undefined).length;
    if (repairable > 0 && !isFix) printLine(`\nfairlead check --fix repairs ${repairable} of these.`);
    printLine(isOk ? "\nAll agents can be run." : "\nSome agents cannot be run.");
  }
  // A module of an agent may have opened something that keeps the process alive.
  setTimeout(() => process.exit(isOk ? 0 : 1), END_MS).unref();
  return isOk ? 0 : 1;
}

/** Node loads a module once in a process: after a repair it is loaded in another one. */
async function checkInProcess(typed: readonly string[]): Promise<CheckResult> {
  const words = [...typed.filter((word) => word !== "--fix" && word !== "--json"), "--json"];
  const script = process.argv[1] ?? "";
  const child = spawn(process.execPath, [...process.execArgv, script, ...words], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output] = await Promise.all([text(child.stdout), once(child, "close")]);
  // Before it are the lines that modules of agents print.
  const report = output.slice(output.lastIndexOf("\n{\n") + 1);
  try {
    // Printed by this command.
    return JSON.parse(report) as CheckResult;
  } catch {
    throw new UsageError(`The agents cannot be checked: ${output.slice(0, MAX_SHOWN)}`);
  }
}
