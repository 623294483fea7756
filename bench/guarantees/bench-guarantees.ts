import type { BenchOptions } from "../bench-options.ts";
import { compare, inDataDir } from "../bench-servers.ts";
import { PlatformProcesses } from "../platform/platform-processes.ts";
import { printFigures } from "../print-figures.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import { shortTurns } from "../scenarios/short-turns.ts";
import type { Contender } from "../servers/contender.ts";
import { ownServer } from "../servers/own-server.ts";
import { burst } from "./burst.ts";
import { idleReaders } from "./idle-readers.ts";
import { leaving } from "./leaving.ts";
import { stalledReader } from "./stalled-reader.ts";

const SCENARIOS: readonly Scenario[] = [
  { name: "a reader that stalls at 100 MB", measure: stalledReader },
  { name: "others while one run gives 20,000 chunks", measure: burst },
  { name: "a client that leaves, on_disconnect=cancel", measure: leaving },
];

/** Measures what durability and sharing cost, in one process with its default settings. */
export async function benchGuarantees(
  { rounds, only }: BenchOptions,
  peers: readonly Contender[],
  withIdleReaders: boolean,
): Promise<void> {
  const isWanted = (name: string): boolean => only === undefined || name.includes(only);
  await inDataDir(async (dataDir) => {
    const own = { name: "own", command: ownServer(dataDir) };
    if (isWanted("durability")) {
      const inMemory = { name: "in memory", command: ownServer(dataDir, { SESSION_STORE: "memory" }) };
      process.stdout.write("\ndurability, /run at 50 connections: SQLite, the others in memory\n");
      await compare(own, [inMemory, ...peers], { measure: shortTurns }, rounds);
    }
    for (const scenario of SCENARIOS) {
      if (!isWanted(scenario.name)) continue;
      process.stdout.write(`\n${scenario.name}\n`);
      // Peers cannot end a run when its client leaves.
      await compare(own, scenario.measure === leaving ? [] : peers, scenario, rounds);
    }
  });
  if (withIdleReaders && isWanted("10,000 idle readers")) await benchIdleReaders();
}

async function benchIdleReaders(): Promise<void> {
  process.stdout.write("\nplatform: 10,000 idle readers on one gateway\n");
  await using platform = await PlatformProcesses.start("sqlite", { MAX_STREAMS_PER_USER: "0", MAX_CONNECTIONS: "0" });
  printFigures(await idleReaders(platform));
}
