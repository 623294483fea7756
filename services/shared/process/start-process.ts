import { enableCompileCache } from "node:module";
import { redactText } from "#kit/errors/redact.ts";
import { refuseOldNode } from "./refuse-old-node.ts";

/**
 * Runs a process's entry. It imports everything else, so that the compile cache is enabled first, and an old Node or a
 * wrong setting gets a message instead of a stack trace.
 */
export async function startProcess(start: () => Promise<unknown>): Promise<void> {
  enableCompileCache();
  const refusal = refuseOldNode(process.versions.node);
  if (refusal !== undefined) return fail(refusal);
  try {
    await start();
  } catch (error) {
    fail(redactText(error instanceof Error ? error.message : String(error)));
  }
}

function fail(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
