import { setTimeout as pause } from "node:timers/promises";
import { output } from "#tooling/cluster/commands.ts";
import type { BenchOptions } from "../bench-options.ts";
import { median } from "../client.ts";
import { mediansOf } from "../medians-of.ts";
import { PlatformProcesses } from "../platform/platform-processes.ts";
import { printFigures } from "../print-figures.ts";
import type { Figures } from "../scenarios/scenario.ts";
import { shortTurns } from "../scenarios/short-turns.ts";
import { ClusterPods } from "./cluster-pods.ts";
import { podStarts } from "./pod-starts.ts";

const CHART = "charts/fairlead";
const SCENARIO = `${CHART}/scenarios/ha.yaml`;
const TEMPLATE_RUNS = 5;
/** By then, memory that only the start needs is freed. */
const IDLE_MS = 20_000;

/** Compares the six services as pods of the cluster of KUBECONFIG with the same as processes on this machine. */
export async function benchCluster({ rounds, only }: BenchOptions): Promise<void> {
  const has = (name: string): boolean => only === undefined || name.includes(only);
  if (has("helm template")) {
    process.stdout.write("\nhelm template\n");
    printFigures({ "helm template ms": await templateMs() });
  }
  if (has("ready after start, idle memory")) {
    process.stdout.write("\ncluster: ready after start, idle memory\n");
    await using pods = await ClusterPods.start();
    const ready = await podStarts(pods.release);
    await pause(IDLE_MS);
    printFigures({ ...ready, ...pods.residentOfServices() });
  }
  if (has("/run, 50 connections")) await benchTurns(rounds);
}

/** Alternates, so that both sides see the same state of the machine. Both keep sessions in memory. */
async function benchTurns(rounds: number): Promise<void> {
  const inPods: Figures[] = [];
  const inProcesses: Figures[] = [];
  for (let round = 0; round < rounds; round += 1) {
    {
      await using processes = await PlatformProcesses.start("memory");
      inProcesses.push(await shortTurns(processes));
    }
    await using pods = await ClusterPods.start();
    inPods.push(await shortTurns(pods));
  }
  process.stdout.write("\ncluster: /run, 50 connections, beside the same as processes\n");
  printFigures(mediansOf(inPods), new Map([["processes", mediansOf(inProcesses)]]));
}

async function templateMs(): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < TEMPLATE_RUNS; run += 1) {
    const startedAt = performance.now();
    await output("helm", ["template", "fairlead", CHART, "--values", SCENARIO]);
    times.push(performance.now() - startedAt);
  }
  return median(times);
}
