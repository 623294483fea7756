import { assertAgentsFolder } from "#shared/agents/agents-settings.ts";
import { printLine } from "../output/terminal.ts";
import { appsTable } from "./apps-table.ts";
import { checkAgents, isSound } from "./check-agents.ts";

const END_MS = 1000;

/** Checks every agent of the folder, prints the result, and returns the exit code: 0 if all of them can be run. */
export async function check(directory: string, isJson: boolean): Promise<number> {
  assertAgentsFolder(directory);
  // Keeps the process alive: if a module awaits a promise that never settles, Node would end the process without a
  // report.
  const keepAlive = setInterval(() => {}, END_MS);
  const result = await checkAgents(directory).finally(() => clearInterval(keepAlive));
  const isOk = isSound(result);
  if (isJson) printLine(JSON.stringify({ ok: isOk, ...result }, null, 2));
  else printLine(`${appsTable(result)}\n\n${isOk ? "All agents can be run." : "Some agents cannot be run."}`);
  // A module of an agent may have opened something that keeps the process alive.
  setTimeout(() => process.exit(isOk ? 0 : 1), END_MS).unref();
  return isOk ? 0 : 1;
}
