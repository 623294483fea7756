import { constants, PerformanceObserver } from "node:perf_hooks";
import { getHeapStatistics, setFlagsFromString } from "node:v8";

const MIB = 1024 * 1024;
/**
 * How much garbage may accumulate before the next full collection: half of the live objects, or this much in a small
 * heap, where collections would otherwise follow each other within milliseconds.
 */
const LEAST_GARBAGE_BYTES = 40 * MIB;
const LEAST_GARBAGE_PERCENT = 50;
/**
 * The upper bound, because V8 applies the percentage after the next collection, when a growing heap has more live
 * objects.
 */
const MOST_GARBAGE_PERCENT = 75;

/**
 * Makes V8 collect garbage before the heap has grown to a multiple of its live objects, from the second full collection
 * on. The young generation keeps its size: a smaller one costs a runner twice the processor time.
 *
 * New objects are always young. By default V8 takes the arrays of a place in the code for long-lived ones if the first
 * of them were, as when many connections begin, and keeps all later ones, with what they hold, until a full collection.
 */
export function limitHeap(): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
  const observer = new PerformanceObserver((list) => {
    if (list.getEntries().some(isFullCollection)) limitGarbage();
  });
  observer.observe({ entryTypes: ["gc"] });
}

function isFullCollection(entry: PerformanceEntry): boolean {
  // What Node's documentation gives for entries of this type.
  const { detail } = entry as PerformanceEntry & { readonly detail: { readonly kind: number } };
  return detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}

/** Called after a full collection, when the heap has live objects only. */
function limitGarbage(): void {
  const live = getHeapStatistics().used_heap_size;
  const percent = Math.ceil((LEAST_GARBAGE_BYTES / live) * 100);
  const bounded = Math.min(Math.max(percent, LEAST_GARBAGE_PERCENT), MOST_GARBAGE_PERCENT);
  setFlagsFromString(`--heap-growing-percent=${bounded}`);
}

/**
 * Collects all garbage and returns free memory to the system. Loading modules leaves a fifth of an idle process as
 * garbage, which is not collected without requests. Takes about 50 ms, in which the process does nothing else.
 */
export async function giveBackMemory(): Promise<void> {
  if (!process.features.inspector) return;
  const { Session } = process.getBuiltinModule("node:inspector/promises");
  const session = new Session();
  session.connect();
  try {
    await session.post("HeapProfiler.collectGarbage");
  } finally {
    session.disconnect();
  }
}
