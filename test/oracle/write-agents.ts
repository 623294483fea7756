import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";
import { readAgentsFile } from "./read-agents.ts";

/**
 * Makes a folder of agents, one folder for each recorded app, whose module builds the app from the recordings in
 * REPLAY_DIR.
 */
export function writeAgents(recordings: string): string {
  const agents = mkdtempSync(join(tmpdir(), "oracle-agents-"));
  const recorded = urlOf("test/oracle/recorded-app.ts");
  for (const name of Object.keys(readAgentsFile(recordings).apps)) {
    const source = `import { recordedApp } from "${recorded}";\nexport const app = recordedApp("${name}");\n`;
    writeModule(agents, name, source);
  }
  writeModule(agents, "bench", `export * from "${urlOf("agents/bench/agent.ts")}";\n`);
  return agents;
}

function writeModule(agents: string, name: string, source: string): void {
  mkdirSync(join(agents, name));
  writeFileSync(join(agents, name, "agent.ts"), source);
}

function urlOf(path: string): string {
  return pathToFileURL(join(REPOSITORY_ROOT, path)).href;
}
