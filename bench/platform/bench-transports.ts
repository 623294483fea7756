import type { BenchOptions } from "../bench-options.ts";
import { mediansOf } from "../medians-of.ts";
import { printFigures } from "../print-figures.ts";
import { offeredTurns } from "../scenarios/offered-turns.ts";
import { pacedStreams } from "../scenarios/paced-streams.ts";
import type { Figures, Scenario } from "../scenarios/scenario.ts";
import { shortTurns } from "../scenarios/short-turns.ts";
import { streams } from "../scenarios/streams.ts";
import { PlatformProcesses } from "./platform-processes.ts";

const TRANSPORTS = ["redis", "postgres"] as const;
/** One user makes all turns. */
const UNLIMITED = { MAX_PROCESS_RUNS_PER_USER: "0", MAX_QUEUED_RUNS_PER_USER: "0", MAX_STREAMS_PER_USER: "0" };

const SCENARIOS: readonly Scenario[] = [
  { name: "/run, 50 connections", measure: shortTurns },
  { name: "/run_sse, 50 connections, 100 chunks", measure: streams },
  { name: "/run_sse, 50 paced streams", measure: pacedStreams(50) },
  ...[5, 20, 40, 80].map((rate) => ({ name: `/run_sse, ${rate} turns a second`, measure: offeredTurns(rate) })),
];

/**
 * The six services with Redis and with Postgres between them, in turn in each round, so that other load of the machine
 * affects both. Sessions are in SQLite, so that the database's CPU is for the transport alone; it is named apart.
 */
export async function benchTransports({ rounds, only }: BenchOptions): Promise<void> {
  for (const { name, measure } of SCENARIOS) {
    if (only !== undefined && !name.includes(only)) continue;
    const measured = { redis: [] as Figures[], postgres: [] as Figures[] };
    for (let round = 0; round < rounds; round += 1)
      for (const transport of TRANSPORTS) {
        await using platform = await PlatformProcesses.start("sqlite", UNLIMITED, transport);
        measured[transport].push(await withCarrier(platform, measure));
      }
    for (const transport of TRANSPORTS) {
      process.stdout.write(`\n${name}, streams in ${transport}\n`);
      printFigures(mediansOf(measured[transport]));
    }
  }
}

/** The figures, and what of the CPU time of the services Redis or Postgres needs in addition. */
async function withCarrier(platform: PlatformProcesses, measure: Scenario["measure"]): Promise<Figures> {
  const before = { services: platform.cpuMicros(), carrier: platform.cpuOfCarrier() };
  const figures = await measure(platform);
  const services = platform.cpuMicros() - before.services;
  const carrier = platform.cpuOfCarrier() - before.carrier;
  return { ...figures, "Redis or Postgres, % of that CPU": (carrier / services) * 100 };
}
