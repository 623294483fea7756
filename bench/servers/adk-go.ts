import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Contender } from "./contender.ts";

const SOURCES = join(import.meta.dirname, "../peer-go");
const PROGRAM = join(import.meta.dirname, "../../node_modules/.cache/bench/adk-go");
const BUILD_TIMEOUT_MS = 10 * 60_000;

/**
 * The REST server of ADK for Go, built when its sources are newer; undefined, with a message, if it cannot be built. The
 * first build downloads its modules.
 */
export async function adkGo(): Promise<Contender | undefined> {
  try {
    await promisify(execFile)("go", ["build", "-o", PROGRAM, "."], {
      cwd: SOURCES,
      env: { ...process.env, CGO_ENABLED: "0" },
      timeout: BUILD_TIMEOUT_MS,
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message.trim().split("\n").at(-1) : error;
    process.stdout.write(
      `Without adk-go: it needs Go and its modules, from a proxy or the module cache (${reason}).\n`,
    );
    return undefined;
  }
  return { name: "adk-go", command: { command: PROGRAM, args: (port) => [`127.0.0.1:${port}`], cwd: SOURCES } };
}
