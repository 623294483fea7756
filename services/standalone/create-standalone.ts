import type { AgentLoader } from "#kit/definitions/loaders/agent-loader.ts";
import type { ErrorDetail } from "#kit/errors/shown-error.ts";
import { type Clock, systemClock } from "#kit/platform/clock.ts";
import { type IdGenerator, UuidV7Generator } from "#kit/platform/id-generator.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { sleep } from "#kit/platform/sleep.ts";
import type { Gateway } from "#services/gateway/app.ts";
import { createGateway } from "#services/gateway/app.ts";
import { closeGateway, cutOffGateway } from "#services/gateway/close-gateway.ts";
import type { AgentFiles } from "#services/gateway/deps.ts";
import { listen } from "#services/gateway/listen.ts";
import { createRunReaper } from "#services/runner/create-run-reaper.ts";
import { createRunnerService } from "#services/runner/create-runner-service.ts";
import { spanSinks } from "#services/runner/execution/span-sinks.ts";
import { createRunMetrics } from "#services/runner/metrics/run-metrics.ts";
import { closeAbandonedRuns, resumeAbandonedRuns } from "#services/runner/recovery/close-abandoned-runs.ts";
import { Readiness } from "#shared/health/readiness.ts";
import { watchSpace } from "#shared/health/watch-space.ts";
import { createMetrics } from "#shared/metrics/metrics.ts";
import { createPeerMetrics } from "#shared/metrics/peer-metrics.ts";
import { createRequestMetrics } from "#shared/metrics/request-metrics.ts";
import { createStoreMetrics } from "#shared/metrics/store-metrics.ts";
import { type ShutdownSteps, shutDown } from "#shared/process/lifecycle.ts";
import { addExporterMetrics, addTransportMetrics } from "#shared/process/process-metrics.ts";
import { createOtlpExporter } from "#shared/tracing/otlp-settings.ts";
import { openRunTransport } from "#shared/transport/run-transport.ts";
import type { StandaloneConfig } from "./config.ts";
import { errorDetailOf } from "./error-detail.ts";
import { openStores } from "./open-stores.ts";

/**
 * The holder's name of runs is the same in every process on a data folder: the folder's lock allows one process at a
 * time.
 */
const HOLDER = "standalone";

export interface StandaloneOptions {
  readonly config: StandaloneConfig;
  /** Closed together with the server. */
  readonly agentLoader: AgentLoader;
  readonly builder?: AgentFiles | undefined;
  readonly logger: Logger;
  readonly clock?: Clock;
  readonly ids?: IdGenerator;
}

/** The whole server in one process, listening. */
export interface Standalone extends AsyncDisposable {
  readonly url: string;
  readonly gateway: Gateway;
  readonly errorDetail: ErrorDetail;
  /** The steps in which the process ends. */
  readonly shutdownSteps: ShutdownSteps;
}

// An aborted run has one more event to store.
const ABORT_MS = 2000;

export async function createStandalone(options: StandaloneOptions): Promise<Standalone> {
  const { config, agentLoader, logger, clock = systemClock, ids = new UuidV7Generator() } = options;
  await using stack = new AsyncDisposableStack();
  stack.defer(() => agentLoader.close());
  const metrics = stack.use(createMetrics({ clock, exemplars: config.METRICS_EXEMPLARS }));
  const { registry } = metrics;
  const readiness = new Readiness(["server"]);
  const observe = createStoreMetrics({ registry, clock });
  const stores = await openStores({ config, clock, ids, stack }, (name, { store, probeSpace }) => {
    const space = stack.use(watchSpace({ store: name, probe: probeSpace, readiness, logger }));
    return observe(name, store, space.failed);
  });
  const peers = createPeerMetrics(registry);
  const transport = await openRunTransport({ config, clock, logger, stack, registry, peers });
  const { runStream, traceStore, idempotencyStore, runQuota } = transport;
  const exporter = createOtlpExporter(config, logger);
  addTransportMetrics(registry, transport);
  if (exporter !== undefined) addExporterMetrics(registry, exporter);
  const isOnlyProcess = config.SESSION_STORE !== "firestore";
  const errorDetail = errorDetailOf(config, logger);
  const runnerDeps = {
    ...stores,
    agentLoader,
    runStream,
    ...(!isOnlyProcess && runQuota !== undefined && { runQuota }),
    spanSinks: spanSinks({ traceStore, exporter, clock, logger }),
    observer: createRunMetrics(registry),
    clock,
    ids,
    logger,
    config,
    errorDetail,
    holder: isOnlyProcess ? HOLDER : `${HOLDER}-${ids.next()}`,
  };
  if (isOnlyProcess && config.ON_ABANDONED_RUN === "interrupt") await closeAbandonedRuns(runnerDeps);
  const runnerService = stack.use(createRunnerService(runnerDeps));
  const reaper = stack.use(createRunReaper(runnerDeps, runnerService));
  if (isOnlyProcess) await resumeAbandonedRuns(runnerDeps, runnerService);
  reaper.start();
  const gateway = await createGateway({
    ...stores,
    runStream,
    traceStore,
    runnerService,
    idempotencyStore,
    clock,
    ids,
    logger,
    config,
    errorDetail,
    requestObserver: createRequestMetrics(registry),
    readMetrics: metrics.read,
    notReady: () => readiness.missing,
    builder: options.builder,
  });
  stack.defer(() => cutOffGateway(gateway));
  const url = await listen(gateway, config.HOST, config.PORT);
  readiness.ready("server");

  const owned = stack.move();
  const shutdownSteps: ShutdownSteps = {
    stopBeingReady: () => readiness.notReady("server"),
    graceMs: config.SHUTDOWN_GRACE_MS,
    stopAccepting: async () => {
      reaper[Symbol.dispose]();
      await closeGateway(gateway);
      await runnerService.whenIdle();
    },
    drainMs: config.SHUTDOWN_DRAIN_MS,
    abortStragglers: () => (isOnlyProcess ? runnerService.abortRuns() : runnerService.handOverRuns()),
    abortMs: ABORT_MS,
    flushTelemetry: async () => exporter?.[Symbol.asyncDispose](),
    dispose: () => owned.disposeAsync(),
  };
  return {
    url,
    gateway,
    errorDetail,
    shutdownSteps,
    [Symbol.asyncDispose]: async () => {
      await shutDown({ ...shutdownSteps, graceMs: 0, drainMs: 0 }, { sleep, logger });
    },
  };
}
