import { createHook } from "node:async_hooks";
import { readFileSync } from "node:fs";
import { type Profiler, Session } from "node:inspector/promises";
import { PerformanceObserver } from "node:perf_hooks";
import { pathToFileURL } from "node:url";

// Loaded into a server before its own modules, with --expose-gc and a channel to the benchmark. A message begins a
// measurement, and the next one ends it.

/** What one measurement asks for. Counting calls slows the process and allocates, so bytes are measured without it. */
export type ProbeRequest = "calls" | "bytes" | "end";

/** A function of this project that was entered. */
export interface EnteredFunction {
  /** Relative to the project's folder. */
  readonly file: string;
  readonly name: string;
  readonly count: number;
}

/** What a measurement of calls answers. */
export interface CallCounts {
  readonly functions: readonly EnteredFunction[];
  readonly promises: number;
}

/** What a measurement of bytes answers. */
export interface ByteCounts {
  /** Bytes that were allocated; wrong if a collection was done meanwhile. */
  readonly allocated: number;
  readonly collections: number;
  /** Calls of read and write, and their kin. */
  readonly systemCalls: number;
}

const ROOT = pathToFileURL(`${process.cwd()}/`).href;

const session = new Session();
let promises = 0;
const hook = createHook({
  init: (_, type) => {
    if (type === "PROMISE") promises += 1;
  },
});
let collections = 0;
const observer = new PerformanceObserver((list) => {
  collections += list.getEntries().length;
});
let finish: (() => Promise<CallCounts | ByteCounts>) | undefined;

process.on("message", async (request: ProbeRequest) => {
  if (request === "end") {
    process.send?.({ probe: await finish?.() });
    return;
  }
  finish = request === "calls" ? await countCalls() : await countBytes();
  process.send?.({ probe: "begun" });
});
// The server ends when it wants to, not when the benchmark does.
process.channel?.unref();

async function countCalls(): Promise<() => Promise<CallCounts>> {
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  promises = 0;
  hook.enable();
  return async () => {
    hook.disable();
    const { result } = await session.post("Profiler.takePreciseCoverage");
    await session.post("Profiler.stopPreciseCoverage");
    session.disconnect();
    return { functions: result.flatMap(functionsOf), promises };
  };
}

function functionsOf({ url, functions }: Profiler.ScriptCoverage): readonly EnteredFunction[] {
  if (!url.startsWith(ROOT) || url.includes("/node_modules/") || url.includes("/bench/")) return [];
  const file = url.slice(ROOT.length);
  return functions.flatMap(({ functionName: name, ranges }) => {
    const count = ranges[0]?.count ?? 0;
    // A function without a name is an arrow in another one, except the module itself.
    return count === 0 ? [] : [{ file, name, count }];
  });
}

async function countBytes(): Promise<() => Promise<ByteCounts>> {
  global.gc?.();
  await reported();
  collections = 0;
  observer.observe({ entryTypes: ["gc"] });
  const before = process.memoryUsage().heapUsed;
  const callsBefore = systemCalls();
  return async () => {
    const allocated = process.memoryUsage().heapUsed - before;
    const calls = systemCalls() - callsBefore;
    await reported();
    observer.disconnect();
    return { allocated, collections, systemCalls: calls };
  };
}

/** Collections are reported in a later turn of the event loop. */
function reported(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 10));
}

/** Reads and writes of this process so far. */
function systemCalls(): number {
  const io = readFileSync("/proc/self/io", "utf8");
  return [...io.matchAll(/^sysc[rw]: (\d+)$/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
}
