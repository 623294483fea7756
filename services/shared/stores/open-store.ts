import { watchSpace } from "../health/watch-space.ts";
import { createStoreMetrics, type StoreName } from "../metrics/store-metrics.ts";
import type { ServiceContext } from "../process/service-process.ts";
import { createStoreContext, type OpenedStore, type StoreContext } from "./store-context.ts";

/** A reachable store is checked seldom, because some charge for requests. */
const PROBE_INTERVAL_MS = 15_000;

type Opener<Config, Store> = (context: StoreContext<Config>) => Promise<OpenedStore<Store>>;

/**
 * Opens the service's store and counts its failures. While it is unreachable, or its disk is full, the process is not
 * ready.
 */
export function openStore<Config extends { readonly DATA_DIR: string }, Store extends object>(
  name: StoreName,
  context: ServiceContext<Config>,
  open: Opener<Config, Store>,
): Promise<Store> {
  return createStoreOpener(context)("store", name, open);
}

/** As `openStore`, for several stores of one service, in one data folder. `part` names a store in the process's readiness. */
export function createStoreOpener<Config extends { readonly DATA_DIR: string }>({
  config,
  clock,
  ids,
  stack,
  needs,
  metrics,
  readiness,
  logger,
}: ServiceContext<Config>) {
  const context = createStoreContext({ config, clock, ids, logger, stack });
  const observe = createStoreMetrics({ registry: metrics.registry, clock });
  return async <Store extends object>(part: string, name: StoreName, open: Opener<Config, Store>): Promise<Store> => {
    const { store, probe, probeSpace } = await open(context);
    if (probe !== undefined) needs({ name: part, check: probe, readyIntervalMs: PROBE_INTERVAL_MS });
    const space = stack.use(watchSpace({ store: name, probe: probeSpace, states: readiness, logger }));
    return observe(name, store, space.failed);
  };
}
