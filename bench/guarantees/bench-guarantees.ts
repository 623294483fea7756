import { type BenchOptions, inDataDir, measure, measurePeer, ownServer } from "../bench-servers.ts";
import { PlatformProcesses } from "../platform/platform-processes.ts";
import { printFigures } from "../print-figures.ts";
import { type Scenario, shortTurns } from "../scenarios.ts";
import { burst } from "./burst.ts";
import { idleReaders } from "./idle-readers.ts";
import { leaving } from "./leaving.ts";
import { stalledReader } from "./stalled-reader.ts";

const SCENARIOS: readonly Scenario[] = [
  { name: "a reader that stalls at 100 MB", measure: stalledReader },
  { name: "others while one run gives 20,000 chunks", measure: burst },
  { name: "a client that leaves, on_disconnect=cancel", measure: leaving },
];

/**
 * Measures what durability and sharing cost: one process with its default settings, compared with the named variants.
 */
export async function benchGuarantees(options: BenchOptions, withIdleReaders: boolean): Promise<void> {
  const { rounds, only, withPeer } = options;
  const isWanted = (name: string): boolean => only === undefined || name.includes(only);
  await inDataDir(async (dataDir) => {
    if (isWanted("durability")) await benchDurability(dataDir, options);
    for (const scenario of SCENARIOS) {
      if (!isWanted(scenario.name)) continue;
      process.stdout.write(`\n${scenario.name}\n`);
      const own = await measure(ownServer(dataDir), scenario, rounds);
      // The peer cannot end a run when its client leaves.
      const isOffered = withPeer && scenario.measure !== leaving;
      printFigures(own, isOffered ? await measurePeer(scenario, rounds) : undefined);
    }
  });
  if (withIdleReaders && isWanted("10,000 idle readers")) await benchIdleReaders();
}

/** The same turns on SQLite and in memory, both with run records and leases, and on the peer, which has neither. */
async function benchDurability(dataDir: string, { rounds, withPeer }: BenchOptions): Promise<void> {
  const scenario = { measure: shortTurns };
  process.stdout.write("\ndurability, /run at 50 connections: in memory\n");
  printFigures(await measure(ownServer(dataDir, { SESSION_STORE: "memory" }), scenario, rounds), undefined);
  process.stdout.write("\ndurability, /run at 50 connections: SQLite, peer in memory\n");
  const durable = await measure(ownServer(dataDir), scenario, rounds);
  printFigures(durable, withPeer ? await measurePeer(scenario, rounds) : undefined);
}

async function benchIdleReaders(): Promise<void> {
  process.stdout.write("\nplatform: 10,000 idle readers on one gateway\n");
  await using platform = await PlatformProcesses.start("sqlite", { MAX_STREAMS_PER_USER: "0", MAX_CONNECTIONS: "0" });
  printFigures(await idleReaders(platform), undefined);
}
