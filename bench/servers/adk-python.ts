import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Contender } from "./contender.ts";

const FOLDER = join(import.meta.dirname, "../peer-python");
const PYTHON = join(import.meta.dirname, "../../node_modules/.cache/bench/adk-python/bin/python");

/** The API server of ADK for Python, sessions in memory, for live runs; undefined, with a message, if it is not installed. */
export function adkPython(python = process.env["ADK_PYTHON"] ?? PYTHON): Contender | undefined {
  if (!existsSync(python)) {
    process.stdout.write(
      "Without adk-python: make a virtual environment with google-adk, and name its python in ADK_PYTHON.\n",
    );
    return undefined;
  }
  const options = ["--host", "127.0.0.1", "--session_service_uri", "memory://", "--log_level", "error"];
  return {
    name: "adk-python",
    command: {
      command: python,
      args: (port) => ["-m", "google.adk.cli", "api_server", ...options, "--port", `${port}`, "agents"],
      cwd: FOLDER,
    },
  };
}
