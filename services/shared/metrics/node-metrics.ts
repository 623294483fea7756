import { existsSync, readdirSync, readFileSync } from "node:fs";
import { constants, monitorEventLoopDelay, PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics } from "node:v8";
import type { Clock } from "#kit/platform/clock.ts";
import { addReadMetric, addReadMetrics, createHistogram, type MetricRegistry, resolveOnce } from "./metric-registry.ts";

/** Names of the garbage collector's phases. */
const GC_KINDS: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MAJOR]: "major",
  [constants.NODE_PERFORMANCE_GC_MINOR]: "minor",
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: "incremental",
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: "weakcb",
};
const GC_SECONDS = [0.001, 0.01, 0.1, 1, 2, 5];

/** What Linux reports of this process; other systems lack it. */
const PROC = "/proc/self";

/** Resolution of the event loop's delay; the histogram samples it with a timer. */
const DELAY_RESOLUTION_MS = 10;

/**
 * Metrics of the process and of Node: CPU, memory, files, garbage collection and the delay of the event loop. Names and
 * meanings are those of Prometheus's client libraries. The observer and the histogram are released by disposing.
 */
export function addNodeMetrics(registry: MetricRegistry, clock: Clock): Disposable {
  addProcessMetrics(registry, clock);
  addMemoryMetrics(registry);
  const collections = addCollections(registry);
  const delay = addEventLoopDelay(registry);
  return {
    [Symbol.dispose]: () => {
      collections.disconnect();
      delay.disable();
    },
  };
}

function addProcessMetrics(registry: MetricRegistry, clock: Clock): void {
  const startedAt = Math.round(clock.now() / 1000 - process.uptime());
  const cpu = (name: string, help: string, micros: (usage: NodeJS.CpuUsage) => number): void =>
    addReadMetric("counter", { registry, name, help, read: () => micros(process.cpuUsage()) / 1e6 });
  cpu("process_cpu_user_seconds_total", "User CPU time.", ({ user }) => user);
  cpu("process_cpu_system_seconds_total", "System CPU time.", ({ system }) => system);
  cpu("process_cpu_seconds_total", "User and system CPU time.", ({ user, system }) => user + system);
  const gauge = (name: string, help: string, read: () => number): void =>
    addReadMetric("gauge", { registry, name, help, read });
  gauge("process_start_time_seconds", "Start of the process in seconds since the Unix epoch.", () => startedAt);
  gauge(
    "nodejs_active_resources_total",
    "Resources that keep the event loop alive.",
    () => process.getActiveResourcesInfo().length,
  );
  addReadMetrics("gauge", {
    registry,
    name: "nodejs_active_resources",
    help: "Resources that keep the event loop alive, by type.",
    labelNames: ["type"],
    read: () => [...countsOf(process.getActiveResourcesInfo())].map(([type, value]) => ({ labels: { type }, value })),
  });
  const [major = "", minor = "", patch = ""] = process.versions.node.split(".");
  addReadMetrics("gauge", {
    registry,
    name: "nodejs_version_info",
    help: "1, with the version of Node in the labels.",
    labelNames: ["version", "major", "minor", "patch"],
    read: () => [{ labels: { version: process.version, major, minor, patch }, value: 1 }],
  });
  if (!existsSync(PROC)) return;
  gauge("process_open_fds", "Open file descriptors.", () => readdirSync(`${PROC}/fd`).length - 1);
  const limit = /^Max open files\s+(\d+)/m.exec(readFileSync(`${PROC}/limits`, "utf8"));
  if (limit !== null) gauge("process_max_fds", "Limit of open file descriptors.", () => Number(limit[1]));
}

function countsOf(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function addMemoryMetrics(registry: MetricRegistry): void {
  const gauge = (name: string, help: string, read: () => number): void =>
    addReadMetric("gauge", { registry, name, help, read });
  gauge("process_resident_memory_bytes", "Resident memory.", () => process.memoryUsage.rss());
  gauge("nodejs_heap_size_total_bytes", "Size of the JavaScript heap.", () => process.memoryUsage().heapTotal);
  gauge("nodejs_heap_size_used_bytes", "Used part of the JavaScript heap.", () => process.memoryUsage().heapUsed);
  gauge("nodejs_external_memory_bytes", "Memory of objects outside the heap.", () => process.memoryUsage().external);
  const spaces = (name: string, help: string, read: (space: HeapSpace) => number): void =>
    addReadMetrics("gauge", {
      registry,
      name,
      help,
      labelNames: ["space"],
      read: () =>
        getHeapSpaceStatistics().map((space) => ({
          labels: { space: space.space_name.replace(/_space$/, "") },
          value: read(space),
        })),
    });
  spaces("nodejs_heap_space_size_total_bytes", "Size of a heap space.", (space) => space.space_size);
  spaces("nodejs_heap_space_size_used_bytes", "Used part of a heap space.", (space) => space.space_used_size);
  spaces("nodejs_heap_space_size_available_bytes", "Free part of a heap space.", (space) => space.space_available_size);
  if (!existsSync(PROC)) return;
  gauge("process_virtual_memory_bytes", "Virtual memory.", () => statusBytes(/^VmSize:\s+(\d+) kB/m));
  gauge("process_heap_bytes", "Memory of the data segment.", () => statusBytes(/^VmData:\s+(\d+) kB/m));
}

type HeapSpace = ReturnType<typeof getHeapSpaceStatistics>[number];

/** A value of the process's status file, which the kernel keeps in memory and gives in KiB. */
function statusBytes(line: RegExp): number {
  const match = line.exec(readFileSync(`${PROC}/status`, "utf8"));
  return Number(match?.[1]) * 1024;
}

function addCollections(registry: MetricRegistry): PerformanceObserver {
  const histogram = createHistogram({
    registry,
    name: "nodejs_gc_duration_seconds",
    help: "Time of garbage collections, by kind: major, minor, incremental or weakcb.",
    labelNames: ["kind"],
    buckets: GC_SECONDS,
  });
  const kinds = resolveOnce((kind) => histogram({ kind }));
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      // Node's types leave out the detail that entries of garbage collections have.
      const { detail, duration } = entry as PerformanceEntry & { readonly detail: { readonly kind: number } };
      kinds(GC_KINDS[detail.kind] ?? "unknown").observe(duration / 1000);
    }
  });
  observer.observe({ entryTypes: ["gc"] });
  return observer;
}

/** Delays since the last scrape, which resets them. */
function addEventLoopDelay(registry: MetricRegistry): ReturnType<typeof monitorEventLoopDelay> {
  const histogram = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  histogram.enable();
  const gauge = (name: string, help: string, readNanoseconds: () => number): void =>
    addReadMetric("gauge", {
      registry,
      name: `nodejs_eventloop_lag_${name}seconds`,
      help,
      read: () => readNanoseconds() / 1e9,
    });
  gauge("min_", "Shortest delay of the event loop since the last scrape.", () => histogram.min);
  gauge("max_", "Longest delay of the event loop since the last scrape.", () => histogram.max);
  gauge("mean_", "Mean delay of the event loop since the last scrape.", () => histogram.mean);
  gauge("stddev_", "Standard deviation of the event loop's delays since the last scrape.", () => histogram.stddev);
  gauge("p50_", "Median delay of the event loop since the last scrape.", () => histogram.percentile(50));
  gauge("p90_", "90th percentile of the event loop's delays since the last scrape.", () => histogram.percentile(90));
  gauge("p99_", "99th percentile of the event loop's delays since the last scrape.", () => {
    const p99 = histogram.percentile(99);
    // A scrape reads metrics in the order of their registration, so this is the last read of the interval.
    histogram.reset();
    return p99;
  });
  return histogram;
}
