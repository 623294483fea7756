import type { BenchOptions } from "../bench-options.ts";
import { mediansOf } from "../medians-of.ts";
import { printFigures } from "../print-figures.ts";
import { longSessions } from "../scenarios/long-sessions.ts";
import { pacedStreams } from "../scenarios/paced-streams.ts";
import type { Figures, MeasuredServer } from "../scenarios/scenario.ts";
import { shortTurns } from "../scenarios/short-turns.ts";
import { streams } from "../scenarios/streams.ts";
import { PlatformProcesses } from "./platform-processes.ts";

interface PlatformScenario {
  readonly name: string;
  readonly measure: (platform: PlatformProcesses) => Promise<Figures>;
}

const SCENARIOS: readonly PlatformScenario[] = [
  { name: "ready after start, idle memory", measure: async (platform) => platform.figuresOfServices() },
  { name: "/run, 50 connections", measure: withShares(shortTurns) },
  { name: "/run_sse, 50 connections, 100 chunks", measure: withShares(streams) },
  { name: "/run_sse, 50 paced streams", measure: withShares(pacedStreams(50)) },
  { name: "a turn on a long session", measure: turnAtLength },
];

/** Six processes, Redis and the client on two cores. CPU is that of the six together. */
export async function benchPlatform({ rounds, only }: BenchOptions): Promise<void> {
  for (const sessions of ["sqlite", "memory"] as const) {
    for (const scenario of SCENARIOS) {
      if (only !== undefined && !scenario.name.includes(only)) continue;
      process.stdout.write(`\nplatform, sessions in ${sessions}: ${scenario.name}\n`);
      const measured: Figures[] = [];
      for (let round = 0; round < rounds; round += 1) {
        await using platform = await PlatformProcesses.start(sessions);
        measured.push(await scenario.measure(platform));
      }
      printFigures(mediansOf(measured));
    }
  }
}

async function turnAtLength(server: MeasuredServer): Promise<Figures> {
  const figures = await longSessions(server);
  return {
    ...figures,
    "5000 over 10": (figures["5000 events ms"] ?? Number.NaN) / (figures["10 events ms"] ?? Number.NaN),
  };
}

/** The figures, and each service's share of the CPU time of all. */
function withShares(measure: PlatformScenario["measure"]): PlatformScenario["measure"] {
  return async (platform) => {
    const before = platform.cpuOfServices();
    const figures = await measure(platform);
    const taken = Object.entries(platform.cpuOfServices()).map(([name, micros]) => ({
      name,
      micros: micros - (before[name] ?? 0),
    }));
    const total = taken.reduce((sum, { micros }) => sum + micros, 0);
    const shares = taken.map(({ name, micros }) => [`${name} share of CPU %`, (micros / total) * 100]);
    return { ...figures, ...Object.fromEntries(shares) };
  };
}
