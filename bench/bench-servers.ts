import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mediansOf } from "./medians-of.ts";
import { printFigures } from "./print-figures.ts";
import { type Figures, SCENARIOS, type Scenario } from "./scenarios.ts";
import { type ServerCommand, ServerProcess } from "./server-process.ts";

export interface BenchOptions {
  readonly rounds: number;
  /** Runs only the scenarios whose name contains this text. */
  readonly only: string | undefined;
  readonly withPeer: boolean;
}

const ROOT = join(import.meta.dirname, "..");
export const PEER_FOLDER = join(ROOT, "bench/peer");

/** Measures this server with its default settings, and other servers on request. */
export function ownServer(dataDir: string, settings: Readonly<Record<string, string>> = {}): ServerCommand {
  return {
    command: process.execPath,
    args: (port) => [
      "cli/main.ts",
      "serve",
      "agents",
      "--port",
      String(port),
      "--data-dir",
      join(dataDir, String(port)),
    ],
    cwd: ROOT,
    env: { LOG_LEVEL: "error", ...settings },
  };
}

const PEER_SERVER: ServerCommand = {
  command: process.execPath,
  args: (port) => [
    "node_modules/@google/adk-devtools/dist/esm/cli_entrypoint.js",
    "api_server",
    "agents",
    "--host",
    "127.0.0.1",
    "--port",
    String(port),
    "--log_level",
    "error",
  ],
  cwd: PEER_FOLDER,
};

/** Measures this server and its peer in turn, each freshly started for every scenario and alone on one core. */
export async function benchServers({ rounds, only, withPeer }: BenchOptions): Promise<void> {
  await inDataDir(async (dataDir) => {
    for (const scenario of SCENARIOS) {
      if (only !== undefined && !scenario.name.includes(only)) continue;
      process.stdout.write(`\n${scenario.name}\n`);
      const own = await measure(ownServer(dataDir), scenario, rounds);
      printFigures(own, withPeer ? await measurePeer(scenario, rounds) : undefined);
    }
  });
}

/** Medians over the rounds. */
export async function measure(
  command: ServerCommand,
  scenario: Pick<Scenario, "measure">,
  rounds: number,
): Promise<Figures> {
  const measured: Figures[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await using server = await ServerProcess.start(command);
    measured.push(await scenario.measure(server));
  }
  return mediansOf(measured);
}

/** Undefined, with a message, if the peer does not survive the load. */
export async function measurePeer(scenario: Pick<Scenario, "measure">, rounds: number): Promise<Figures | undefined> {
  try {
    return await measure(PEER_SERVER, scenario, rounds);
  } catch (error) {
    process.stdout.write(`  the peer did not get through: ${error instanceof Error ? error.message : error}\n`);
    return undefined;
  }
}

/** A folder that is removed after the measurement. */
export async function inDataDir(work: (dataDir: string) => Promise<void>): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "fairlead-bench-"));
  try {
    await work(dataDir);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}
