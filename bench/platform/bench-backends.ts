import { startFirestoreEmulator, whyNoFirestore } from "#tooling/emulators/firestore-emulator.ts";
import { PostgresServer } from "#tooling/emulators/postgres-server.ts";
import type { BenchOptions } from "../bench-options.ts";
import { mediansOf } from "../medians-of.ts";
import { printFigures } from "../print-figures.ts";
import { cpuMicrosOfFamily } from "../process-figures.ts";
import { offeredTurns } from "../scenarios/offered-turns.ts";
import { pacedStreams } from "../scenarios/paced-streams.ts";
import type { Figures, Scenario } from "../scenarios/scenario.ts";
import { shortTurns } from "../scenarios/short-turns.ts";
import { streams } from "../scenarios/streams.ts";
import { PlatformProcesses } from "./platform-processes.ts";

/** One user makes all turns. */
const UNLIMITED = { MAX_PROCESS_RUNS_PER_USER: "0", MAX_QUEUED_RUNS_PER_USER: "0", MAX_STREAMS_PER_USER: "0" };

const SHORT_TURNS: Scenario = { name: "/run, 50 connections", measure: shortTurns };
const STREAMS: Scenario = { name: "/run_sse, 50 connections, 100 chunks", measure: streams };
const SCENARIOS: readonly Scenario[] = [
  SHORT_TURNS,
  STREAMS,
  { name: "/run_sse, 50 paced streams", measure: pacedStreams(50) },
  ...[5, 20, 40, 80].map((rate) => ({ name: `/run_sse, ${rate} turns a second`, measure: offeredTurns(rate) })),
];

/** The six services on a backend, and what CPU time it has taken. */
interface Started {
  readonly platform: PlatformProcesses;
  readonly cpuOfBackend: () => number;
}

interface Setup {
  readonly name: string;
  /** The processes that it starts end with the stack. */
  readonly start: (stack: AsyncDisposableStack) => Promise<Started>;
}

/**
 * The six services with Redis and with Postgres between them. Sessions are in SQLite, so that the database's CPU is for the
 * transport alone.
 */
export function benchTransports(options: BenchOptions): Promise<void> {
  const setups = (["redis", "postgres"] as const).map((transport): Setup => {
    const start = async (stack: AsyncDisposableStack): Promise<Started> => {
      const platform = stack.use(await PlatformProcesses.start("sqlite", UNLIMITED, transport));
      return { platform, cpuOfBackend: () => platform.cpuOfCarrier() };
    };
    return { name: `streams in ${transport}`, start };
  });
  return compare(setups, SCENARIOS, options);
}

/** The six services with Redis between them, and sessions in SQLite, in Postgres and in Firestore's emulator. */
export function benchPlatformStores(options: BenchOptions): Promise<void> {
  const setups: Setup[] = [
    {
      name: "sessions in sqlite",
      start: async (stack) => {
        const platform = stack.use(await PlatformProcesses.start("sqlite", UNLIMITED));
        return { platform, cpuOfBackend: () => 0 };
      },
    },
    {
      name: "sessions in postgres",
      start: async (stack) => {
        const server = stack.use(await PostgresServer.start());
        const settings = { ...UNLIMITED, DATABASE_URL: server.url() };
        const platform = stack.use(await PlatformProcesses.start("postgres", settings));
        return { platform, cpuOfBackend: () => cpuMicrosOfFamily(server.pid ?? 0) };
      },
    },
  ];
  if (whyNoFirestore() === undefined)
    setups.push({
      name: "sessions in Firestore's emulator",
      start: async (stack) => {
        const emulator = stack.use(await startFirestoreEmulator());
        const settings = { ...UNLIMITED, FIRESTORE_EMULATOR_HOST: emulator.host, FIRESTORE_PROJECT_ID: "bench" };
        const platform = stack.use(await PlatformProcesses.start("firestore", settings));
        return { platform, cpuOfBackend: () => cpuMicrosOfFamily(emulator.pid ?? 0) };
      },
    });
  return compare(setups, [SHORT_TURNS, STREAMS], options);
}

/** Measures the setups in turn in each round, so that other load of the machine affects all. */
async function compare(setups: readonly Setup[], scenarios: readonly Scenario[], options: BenchOptions): Promise<void> {
  const { rounds, only } = options;
  for (const { name, measure } of scenarios) {
    if (only !== undefined && !name.includes(only)) continue;
    const measured = new Map<Setup, Figures[]>(setups.map((setup) => [setup, []]));
    for (let round = 0; round < rounds; round += 1)
      for (const setup of setups) {
        await using stack = new AsyncDisposableStack();
        measured.get(setup)?.push(await withBackend(await setup.start(stack), measure));
      }
    for (const [setup, figures] of measured) {
      process.stdout.write(`\n${name}, ${setup.name}\n`);
      printFigures(mediansOf(figures));
    }
  }
}

/** The figures, and the CPU time of the backend in percent of the services' own. */
async function withBackend({ platform, cpuOfBackend }: Started, measure: Scenario["measure"]): Promise<Figures> {
  const before = { services: platform.cpuMicros(), backend: cpuOfBackend() };
  const figures = await measure(platform);
  const services = platform.cpuMicros() - before.services;
  return { ...figures, "backend, % of that CPU": ((cpuOfBackend() - before.backend) / services) * 100 };
}
