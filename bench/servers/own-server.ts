import { join } from "node:path";
import type { ServerCommand } from "./server-process.ts";

const ROOT = join(import.meta.dirname, "../..");

/** This server with its default settings, and others on request; each process has a new folder in `dataDir`. */
export function ownServer(dataDir: string, settings: Readonly<Record<string, string>> = {}): ServerCommand {
  const dataFolder = (port: number): string => join(dataDir, String(port));
  return {
    command: process.execPath,
    args: (port) => ["cli/fairlead.mjs", "serve", "agents", "--port", String(port), "--data-dir", dataFolder(port)],
    cwd: ROOT,
    env: { LOG_LEVEL: "error", ...settings },
    dataFolder,
  };
}
