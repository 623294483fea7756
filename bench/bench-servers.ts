import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BenchOptions } from "./bench-options.ts";
import { measureInTurn } from "./measure-in-turn.ts";
import { printFigures } from "./print-figures.ts";
import type { Scenario } from "./scenarios/scenario.ts";
import { SERVER_SCENARIOS } from "./scenarios/server-scenarios.ts";
import type { Contender } from "./servers/contender.ts";
import { ownServer } from "./servers/own-server.ts";

/** Measures this server and its peers in turn, each freshly started for every scenario and alone on one core. */
export async function benchServers({ rounds, only }: BenchOptions, peers: readonly Contender[]): Promise<void> {
  await inDataDir(async (dataDir) => {
    const own = { name: "own", command: ownServer(dataDir) };
    for (const scenario of SERVER_SCENARIOS) {
      if (only !== undefined && !scenario.name.includes(only)) continue;
      process.stdout.write(`\n${scenario.name}\n`);
      await compare(own, peers, scenario, rounds);
    }
  });
}

/** Measures all in turn and prints the figures of the first beside those of the others. */
export async function compare(
  own: Contender,
  others: readonly Contender[],
  scenario: Omit<Scenario, "name">,
  rounds: number,
): Promise<void> {
  const figures = new Map(await measureInTurn([own, ...others], scenario, rounds));
  const ownFigures = figures.get(own.name) ?? {};
  figures.delete(own.name);
  printFigures(ownFigures, figures);
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
