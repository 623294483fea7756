import { watchSpace } from "../health/watch-space.ts";
import { createStoreMetrics, type StoreName } from "../metrics/store-metrics.ts";
import type { ServiceContext } from "../process/service-process.ts";
import { createStoreContext, type OpenedStore, type StoreContext } from "./store-context.ts";

/** A reachable store is checked seldom, because some charge for requests. */
const PROBE_INTERVAL_MS = 15_000;

/**
 * Opens the service's store and counts its failures. While it is unreachable, or its disk is full, the process is not
 * ready.
 */
export async function openStore<Config extends { readonly DATA_DIR: string }, Store extends object>(
  name: StoreName,
  { config, clock, ids, stack, needs, metrics, readiness, logger }: ServiceContext<Config>,
  open: (context: StoreContext<Config>) => Promise<OpenedStore<Store>>,
): Promise<Store> {
  const { store, probe, probeSpace } = await open(createStoreContext({ config, clock, ids, logger, stack }));
  if (probe !== undefined) needs({ name: "store", check: probe, readyIntervalMs: PROBE_INTERVAL_MS });
  const space = stack.use(watchSpace({ store: name, probe: probeSpace, readiness, logger }));
  return createStoreMetrics({ registry: metrics.registry, clock })(name, store, space.failed);
}
