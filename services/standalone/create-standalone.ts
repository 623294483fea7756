import type { AgentLoader } from "#kit/definitions/agent-loader.ts";
import { type Clock, systemClock } from "#kit/platform/clock.ts";
import { type IdGenerator, UuidV7Generator } from "#kit/platform/id-generator.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { sleep } from "#kit/platform/sleep.ts";
import { InMemoryRunStream } from "#kit/runner/in-memory-run-stream.ts";
import { InMemoryTraceStore } from "#kit/telemetry/in-memory-trace-store.ts";
import type { Gateway } from "#services/gateway/app.ts";
import { createGateway } from "#services/gateway/app.ts";
import type { AgentFiles } from "#services/gateway/deps.ts";
import { closeAbandonedRuns } from "#services/runner/close-abandoned-runs.ts";
import { createRunnerService } from "#services/runner/create-runner-service.ts";
import type { SpanSink } from "#services/runner/deps.ts";
import { createRunMetrics } from "#services/runner/run-metrics.ts";
import { type ShutdownSteps, shutDown } from "#shared/lifecycle.ts";
import { createMetrics } from "#shared/metrics.ts";
import { OtlpExporter } from "#shared/otlp-exporter.ts";
import { otlpTarget } from "#shared/otlp-settings.ts";
import { Readiness } from "#shared/readiness.ts";
import { createRequestMetrics } from "#shared/request-metrics.ts";
import type { StandaloneConfig } from "./config.ts";
import { listen } from "./listen.ts";
import { openStores } from "./open-stores.ts";
import { addProcessMetrics } from "./process-metrics.ts";

/** Runs have the same holder's name in every process on a data folder: the folder's lock lets only one live at a time. */
const HOLDER = "standalone";

export interface StandaloneOptions {
  readonly config: StandaloneConfig;
  /** Closed with the server. */
  readonly agentLoader: AgentLoader;
  readonly builder?: AgentFiles;
  readonly logger: Logger;
  readonly clock?: Clock;
  readonly ids?: IdGenerator;
}

/** The whole server in one process, listening. */
export interface Standalone extends AsyncDisposable {
  readonly url: string;
  readonly gateway: Gateway;
  /** What to do in which order when the process is to end. */
  readonly shutdownSteps: ShutdownSteps;
}

// An aborted run has one more event to store.
const ABORT_MS = 2000;
const IDLE_SWEEP_MS = 50;

export async function createStandalone(options: StandaloneOptions): Promise<Standalone> {
  const { config, agentLoader, logger, clock = systemClock, ids = new UuidV7Generator() } = options;
  await using stack = new AsyncDisposableStack();
  stack.defer(() => agentLoader.close());
  const stores = await openStores({ config, clock, ids, stack });
  const readiness = new Readiness(["server"]);
  const metrics = stack.use(createMetrics());
  const runStream = new InMemoryRunStream({ clock });
  const traceStore = new InMemoryTraceStore();
  const exporter = createExporter(config, logger);
  addProcessMetrics(metrics.registry, { runStream, traceStore, exporter });

  const recordTrace: SpanSink = (session, spans) => {
    // Losing a trace must not touch the run it is of.
    traceStore.record(session, spans).catch((error: unknown) => logger.warn({ error }, "trace not stored"));
  };
  const exportTrace: SpanSink = (_session, spans) => exporter?.add(spans);
  const runnerDeps = {
    ...stores,
    agentLoader,
    runStream,
    spanSinks: exporter === undefined ? [recordTrace] : [recordTrace, exportTrace],
    observer: createRunMetrics(metrics.registry),
    clock,
    ids,
    logger,
    config,
    holder: HOLDER,
  };
  await closeAbandonedRuns(runnerDeps);
  const runnerService = stack.use(createRunnerService(runnerDeps));
  const gateway = await createGateway({
    ...stores,
    runStream,
    traceStore,
    runnerService,
    clock,
    ids,
    logger,
    config,
    requestObserver: createRequestMetrics(metrics.registry),
    metricsText: () => metrics.text(),
    notReady: () => readiness.missing,
    ...(options.builder !== undefined && { builder: options.builder }),
  });
  stack.defer(async () => {
    // Whoever still holds a connection had its time.
    gateway.server.closeAllConnections();
    await gateway.close();
  });
  const url = await listen(gateway, config.HOST, config.PORT);
  readiness.ready("server");

  const owned = stack.move();
  const shutdownSteps: ShutdownSteps = {
    stopBeingReady: () => readiness.notReady("server"),
    graceMs: config.SHUTDOWN_GRACE_MS,
    stopAccepting: async () => {
      await closeGateway(gateway);
      await runnerService.whenIdle();
    },
    drainMs: config.SHUTDOWN_DRAIN_MS,
    abortStragglers: () => runnerService.abortRuns(),
    abortMs: ABORT_MS,
    flushTelemetry: async () => exporter?.[Symbol.asyncDispose](),
    dispose: () => owned.disposeAsync(),
  };
  return {
    url,
    gateway,
    shutdownSteps,
    [Symbol.asyncDispose]: async () => {
      await shutDown({ ...shutdownSteps, graceMs: 0, drainMs: 0 }, { sleep, logger });
    },
  };
}

/** Resolves when every request that was accepted has its answer. */
async function closeGateway(gateway: Gateway): Promise<void> {
  // A connection that a client keeps open after its last answer would hold the server for as long as the client likes.
  const sweep = setInterval(() => gateway.server.closeIdleConnections(), IDLE_SWEEP_MS);
  try {
    await gateway.close();
  } finally {
    clearInterval(sweep);
  }
}

function createExporter(config: StandaloneConfig, logger: Logger): OtlpExporter | undefined {
  const target = otlpTarget(config);
  return target === undefined ? undefined : new OtlpExporter({ ...target, logger });
}
