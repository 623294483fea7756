import type { App } from "#kit/core/app.ts";
import { buildApp } from "./build-agents.ts";
import { readAgentsFile } from "./read-agents.ts";

/** A recorded app, for a module in the agents folder of a server with REPLAY_DIR. */
export function recordedApp(name: string): App {
  const folder = process.env["REPLAY_DIR"];
  if (folder === undefined) throw new Error("REPLAY_DIR must name the folder of recorded exchanges.");
  return buildApp(readAgentsFile(folder), name);
}
