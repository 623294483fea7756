import { enableCompileCache } from "node:module";
import { redactText } from "#kit/errors/redact.ts";
import { refuseOldNode } from "./refuse-old-node.ts";

/**
 * Runs a process's entry. Everything else is imported by it: compiled code is kept between starts, an old Node gets a sentence
 * instead of a stack, and so does whoever got a setting wrong.
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
