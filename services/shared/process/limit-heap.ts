import { constants, PerformanceObserver } from "node:perf_hooks";
import { getHeapStatistics, setFlagsFromString } from "node:v8";

const MIB = 1024 * 1024;
/**
 * How much garbage may gather before the next full collection: half of what lives, or this much in a small heap, where
 * collections would otherwise follow each other within milliseconds.
 */
const LEAST_GARBAGE_BYTES = 40 * MIB;
const LEAST_GARBAGE_PERCENT = 50;
/** V8 applies a percentage after the next collection, when a growing heap has more that lives than it was computed of. */
const MOST_GARBAGE_PERCENT = 75;

/**
 * Makes V8 collect garbage before the heap has grown to a multiple of what lives, from the second full collection on.
 * The young generation keeps its size: a smaller one costs a runner twice the processor time.
 */
export function limitHeap(): void {
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

/** After a full collection the heap is what lives. */
function limitGarbage(): void {
  const live = getHeapStatistics().used_heap_size;
  const percent = Math.ceil((LEAST_GARBAGE_BYTES / live) * 100);
  const bounded = Math.min(Math.max(percent, LEAST_GARBAGE_PERCENT), MOST_GARBAGE_PERCENT);
  setFlagsFromString(`--heap-growing-percent=${bounded}`);
}
