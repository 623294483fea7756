import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Contender } from "./contender.ts";

const FOLDER = join(import.meta.dirname, "../peer");

/** The API server of ADK for JavaScript with its defaults; undefined, with a message, if it is not installed. */
export function adkJs(): Contender | undefined {
  if (!existsSync(join(FOLDER, "node_modules"))) {
    process.stdout.write("Without adk-js: `npm ci --prefix bench/peer --ignore-scripts` installs it.\n");
    return undefined;
  }
  const cli = "node_modules/@google/adk-devtools/dist/esm/cli_entrypoint.js";
  return {
    name: "adk-js",
    command: {
      command: process.execPath,
      args: (port) => [cli, "api_server", "agents", "--host", "127.0.0.1", "--port", `${port}`, "--log_level", "error"],
      cwd: FOLDER,
    },
  };
}
