import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentsFile } from "./definition.ts";

/** The agents of a folder of recorded exchanges. */
export function readAgentsFile(folder: string): AgentsFile {
  // The file is the recordings' own; a wrong one shows immediately, in the agents that it makes.
  return JSON.parse(readFileSync(join(folder, "agents.json"), "utf8")) as AgentsFile;
}
