import { ERROR_CODES } from "#kit/errors/codes.ts";
import { toPlatformError } from "#kit/errors/platform-error.ts";
import type { ErrorReason } from "#kit/errors/reasons.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import { traceIdOfNow } from "../tracing/trace-context.ts";
import { createHistogram, createValue, type MetricRegistry, resolveOnce } from "./metric-registry.ts";
import { type CallWatcher, watchCalls } from "./watch-calls.ts";

export type StoreName = "session" | "artifact" | "memory" | "eval" | "credential";

/**
 * Wraps the store so that its calls are counted. `onFailure` is called with the reason of each failure that is the
 * store's own fault.
 */
export type ObserveStore = <Store extends object>(
  name: StoreName,
  store: Store,
  onFailure?: (reason: ErrorReason) => void,
) => Store;

interface Measuring {
  readonly registry: MetricRegistry;
  readonly clock: Clock;
}

/** The journal's methods that store events. */
const APPENDS: ReadonlySet<string> = new Set<keyof RunJournal>(["append", "finish"]);

const APPEND_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.5, 5];

/** Counts the failed calls of stores, by operation and reason; for the session store also measures its appends. */
export function createStoreMetrics(measuring: Measuring): ObserveStore {
  const errors = createValue("counter", {
    name: "fairlead_store_errors_total",
    help: "Calls of a store that failed by its own fault, by operation and reason.",
    labelNames: ["store", "operation", "reason"],
    registry: measuring.registry,
  });
  return (name, store, onFailure) => {
    const appendWatcher = name === "session" ? createAppendWatchers(measuring) : undefined;
    return watchCalls(store, (operation) => {
      const countError = resolveOnce((reason) => errors({ store: name, operation, reason }));
      // Present as 0 from the first call: Prometheus sees no increase in a series that first appears as 1, and alerts
      // would miss it.
      countError("STORE_UNAVAILABLE");
      const watcher = appendWatcher?.(operation);
      return {
        started: watcher?.started ?? (() => 0),
        ended: (startedAt, error) => {
          watcher?.ended(startedAt, error);
          if (outcomeOf(error) !== "failed") return;
          const { reason } = toPlatformError(error);
          countError(reason).add(1);
          onFailure?.(reason);
        },
      };
    });
  };
}

/** Measures a journal's appends as its caller experiences them, with the network and repeated attempts. */
export function observeAppends<Journal extends RunJournal>(journal: Journal, measuring: Measuring): Journal {
  return watchCalls(journal, createAppendWatchers(measuring));
}

function createAppendWatchers({ registry, clock }: Measuring): (operation: string) => CallWatcher | undefined {
  const durations = createHistogram({
    name: "fairlead_append_duration_seconds",
    help: "Time that it took to store events of a run; `finish` stores its last ones together with its end.",
    labelNames: ["operation", "outcome"],
    buckets: APPEND_SECONDS,
    registry,
  });
  return (operation) => {
    if (!APPENDS.has(operation)) return undefined;
    const timers = {
      ok: durations({ operation, outcome: "ok" }),
      refused: durations({ operation, outcome: "refused" }),
      failed: durations({ operation, outcome: "failed" }),
    };
    return {
      started: () => clock.monotonic(),
      ended: (startedAt, error) => {
        const seconds = (clock.monotonic() - startedAt) / 1000;
        timers[outcomeOf(error)].observe(seconds, registry.keepsExemplars ? traceIdOfNow() : undefined);
      },
    };
  };
}

/** `refused`: a working store refused the call, for example of a run that has lost its lease. */
function outcomeOf(error: unknown): "ok" | "refused" | "failed" {
  if (error === undefined) return "ok";
  return ERROR_CODES[toPlatformError(error).code].http < 500 ? "refused" : "failed";
}
