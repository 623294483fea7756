import type { Stores } from "#adapters/stores.ts";
import type { AgentLoader } from "#kit/definitions/loaders/agent-loader.ts";
import type { ErrorDetail } from "#kit/errors/shown-error.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { KeyStore } from "#ports/api-keys/key-store.ts";
import { openEvaluations } from "#services/eval/jobs/open-evaluations.ts";
import { NO_CREDENTIALS } from "#services/eval/jobs/worker-deps.ts";
import type { GatewayDeps } from "#services/gateway/deps.ts";
import { openIdentity } from "#services/gateway/identity/open-identity.ts";
import { createRunReaper } from "#services/runner/create-run-reaper.ts";
import { createRunnerService } from "#services/runner/create-runner-service.ts";
import { spanSinks } from "#services/runner/execution/span-sinks.ts";
import { createRunMetrics } from "#services/runner/metrics/run-metrics.ts";
import { openAnalytics } from "#services/runner/open-analytics.ts";
import { openOutbound } from "#services/runner/open-outbound.ts";
import { closeAbandonedRuns, resumeAbandonedRuns } from "#services/runner/recovery/close-abandoned-runs.ts";
import { openAuditor } from "#shared/audit/open-auditor.ts";
import { Readiness } from "#shared/health/readiness.ts";
import { watchSpace } from "#shared/health/watch-space.ts";
import { createLiveMetrics, createPushMetrics, createWebhookMetrics } from "#shared/metrics/delivery-metrics.ts";
import { createMetrics } from "#shared/metrics/metrics.ts";
import { createPeerMetrics } from "#shared/metrics/peer-metrics.ts";
import { createRequestMetrics } from "#shared/metrics/request-metrics.ts";
import { createRetentionMetrics } from "#shared/metrics/retention-metrics.ts";
import { createStoreMetrics } from "#shared/metrics/store-metrics.ts";
import { openOtlp } from "#shared/otlp/open-otlp.ts";
import type { ShutdownSteps } from "#shared/process/lifecycle.ts";
import { addTransportMetrics } from "#shared/process/process-metrics.ts";
import { openQuotas } from "#shared/quota/open-quotas.ts";
import { QuotaModelBudget } from "#shared/quota/quota-model-budget.ts";
import { openInboxStore, openPushStore, openScheduleStore, openWebhookStore } from "#shared/stores/due-stores.ts";
import { storageReadersOf } from "#shared/stores/storage-readers-of.ts";
import type { ProcessTransport, RunTransportContext } from "#shared/transport/run-transport.ts";
import type { StandaloneConfig } from "./config.ts";
import { errorDetailOf } from "./error-detail.ts";
import type { WatchStore } from "./open-stores.ts";

/**
 * The holder's name of runs is the same in every process on a data folder: the folder's lock allows one process at a
 * time.
 */
const HOLDER = "standalone";

/** Processes that share a database read the deletions every five seconds. */
const DELETION_SETTLE_MS = 6_000;

// An aborted run has one more event to store.
const ABORT_MS = 2000;

export interface CoreOptions {
  readonly config: StandaloneConfig;
  readonly agentLoader: AgentLoader;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  /** Closes what is opened. */
  readonly stack: AsyncDisposableStack;
  readonly openStores: (watch: WatchStore) => Promise<Stores>;
  readonly openKeyStore: () => Promise<KeyStore>;
  readonly openTransport: (context: Pick<RunTransportContext, "registry" | "peers">) => Promise<ProcessTransport>;
  /** Whether no other process executes runs of these stores: then each run that is open at the start was lost. */
  readonly isOnlyProcess: boolean;
}

/** The whole server in one process without its HTTP side. */
export interface ServerCore {
  readonly gatewayDeps: Omit<GatewayDeps, "builder">;
  readonly errorDetail: ErrorDetail;
  /** To be called when requests are accepted. */
  ready(): void;
  /** The steps in which the server ends. `endHttp` accepts no new requests, and waits for the answers. */
  shutdownSteps(endHttp: () => Promise<void>, dispose: () => Promise<void>): ShutdownSteps;
}

/** Opens the stores and the transport, and executes runs from then on, those of earlier processes first. */
export async function openCore(options: CoreOptions): Promise<ServerCore> {
  const { config, agentLoader, clock, ids, stack, isOnlyProcess } = options;
  const metrics = stack.use(createMetrics({ clock, exemplars: config.METRICS_EXEMPLARS }));
  const { registry } = metrics;
  const otlp = openOtlp({ config, logger: options.logger, clock, registry });
  const { exporter, logExporter, logger } = otlp;
  const readiness = new Readiness(["server"]);
  const observe = createStoreMetrics({ registry, clock });
  const stores = await options.openStores((name, { store, probeSpace }) => {
    const space = stack.use(watchSpace({ store: name, probe: probeSpace, states: readiness, logger }));
    return observe(name, store, space.failed);
  });
  const { credentialService, ...gatewayStores } = stores;
  const transport = await options.openTransport({ registry, peers: createPeerMetrics(registry) });
  const { runStream, traceStore, idempotencyStore, endedSessions } = transport;
  const { runQuota, runNotifications, quotaLedger } = transport;
  const storage = storageReadersOf(stores);
  const quotas = await openQuotas({ config, ledger: quotaLedger, runQuota, storage, clock, ids, logger, registry });
  const identity = await openIdentity(options);
  addTransportMetrics(registry, transport);
  const errorDetail = errorDetailOf(config, logger);
  const runnerDeps = {
    ...stores,
    outbound: stack.use(openOutbound(config)),
    agentLoader,
    runStream,
    runQuota: isOnlyProcess ? undefined : runQuota,
    runNotifications: isOnlyProcess ? undefined : runNotifications,
    quotas,
    spanSinks: spanSinks({ traceStore, exporter, logExporter, config, clock, logger }),
    observer: createRunMetrics(registry),
    openAnalyticsPlugins: await openAnalytics(config),
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
  const evaluations = openEvaluations({
    ...{ ...stores, runnerService, clock, logger, config },
    modelBudget: quotas && new QuotaModelBudget({ quotas, clock, ids, logger }),
    holder: runnerDeps.holder,
    credentialsOf: () => NO_CREDENTIALS,
  });
  stack.use(evaluations.worker).start();
  return {
    gatewayDeps: {
      ...gatewayStores,
      userCredentials: credentialService,
      ...identity,
      runStream,
      traceStore,
      runnerService,
      liveRunner: runnerService,
      evalJobs: evaluations.jobs,
      pushStore: await openPushStore({ config, stack, clock, logger }),
      scheduleStore: await openScheduleStore({ config, stack }),
      inboxStore: await openInboxStore({ config, stack }),
      webhookStore: await openWebhookStore({ config, stack, clock, logger }),
      countLiveDrops: createLiveMetrics(registry),
      countRetention: config.RETENTION_FILE === "" ? undefined : createRetentionMetrics(registry),
      countPush: config.A2A_PUSH === "off" ? undefined : createPushMetrics(registry),
      countWebhook: config.WEBHOOKS === "off" ? undefined : createWebhookMetrics(registry),
      idempotencyStore,
      endedSessions,
      clock,
      ids,
      logger,
      config,
      errorDetail,
      auditor: await openAuditor({ config, clock, ids, logger, stack, registry }),
      quotas,
      deletionSettleMs: isOnlyProcess ? 0 : DELETION_SETTLE_MS,
      requestObserver: createRequestMetrics(registry),
      readMetrics: metrics.read,
      readiness,
    },
    errorDetail,
    ready: () => readiness.ready("server"),
    shutdownSteps: (endHttp, dispose) => ({
      stopBeingReady: () => readiness.waitFor("server"),
      graceMs: config.SHUTDOWN_GRACE_MS,
      stopAccepting: async () => {
        reaper[Symbol.dispose]();
        evaluations.worker.drain();
        await endHttp();
        await evaluations.worker[Symbol.asyncDispose]();
        await runnerService.whenIdle();
      },
      drainMs: config.SHUTDOWN_DRAIN_MS,
      abortStragglers: () => {
        evaluations.worker.abandon();
        return isOnlyProcess ? runnerService.abortRuns() : runnerService.handOverRuns();
      },
      abortMs: ABORT_MS,
      flushTelemetry: async () => otlp[Symbol.asyncDispose](),
      dispose,
    }),
  };
}
