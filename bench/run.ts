import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { median } from "./client.ts";
import { type Figures, SCENARIOS, type Scenario } from "./scenarios.ts";
import { type ServerCommand, ServerProcess } from "./server-process.ts";

// Measures this server and its peer in turn, each fresh for every scenario and alone on one core, and prints figures and ratios.

const root = join(import.meta.dirname, "..");
const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    only: { type: "string" },
    "no-peer": { type: "boolean", default: false },
  },
});

const dataDir = mkdtempSync(join(tmpdir(), "agentplane-bench-"));
const ours: ServerCommand = {
  command: process.execPath,
  args: (port) => ["cli/main.ts", "serve", "agents", "--port", String(port), "--data-dir", join(dataDir, String(port))],
  cwd: root,
  env: { LOG_LEVEL: "error" },
};
const peer: ServerCommand = {
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
  cwd: join(root, "bench/peer"),
};

const withPeer = !options["no-peer"] && existsSync(join(peer.cwd, "node_modules"));
if (!withPeer) process.stdout.write("Without the peer: `npm ci --prefix bench/peer --ignore-scripts` installs it.\n");

try {
  for (const scenario of SCENARIOS) {
    if (options.only !== undefined && !scenario.name.includes(options.only)) continue;
    process.stdout.write(`\n${scenario.name}\n`);
    const own = await measure(ours, scenario);
    const other = withPeer ? await measure(peer, scenario) : undefined;
    print(own, other);
  }
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}

/** Medians over the rounds. */
async function measure(command: ServerCommand, scenario: Scenario): Promise<Figures> {
  const rounds: Figures[] = [];
  for (let round = 0; round < Number(options.rounds); round += 1) {
    await using server = await ServerProcess.start(command);
    rounds.push(await scenario.measure(server));
  }
  const names = Object.keys(rounds[0] ?? {});
  return Object.fromEntries(names.map((name) => [name, median(rounds.map((figures) => figures[name] ?? Number.NaN))]));
}

function print(own: Figures, other: Figures | undefined): void {
  for (const [name, value] of Object.entries(own)) {
    const peerValue = other?.[name];
    const versus =
      peerValue === undefined ? "" : `   peer ${format(peerValue)}   ratio ${(value / peerValue).toFixed(2)}`;
    process.stdout.write(`  ${name.padEnd(28)} ${format(value)}${versus}\n`);
  }
}

function format(value: number): string {
  return value.toFixed(value < 100 ? 2 : 0).padStart(9);
}
