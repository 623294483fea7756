import { RemoteArtifactService } from "#adapters/grpc/remote-artifact-service.ts";
import { RemoteCredentialService } from "#adapters/grpc/remote-credential-service.ts";
import { RemoteEvalJobs } from "#adapters/grpc/remote-eval-jobs.ts";
import { RemoteEvalStore } from "#adapters/grpc/remote-eval-store.ts";
import { RemoteEvaluationPermits } from "#adapters/grpc/remote-evaluation-permits.ts";
import { RemoteMemoryService } from "#adapters/grpc/remote-memory-service.ts";
import { RemoteRunJournal } from "#adapters/grpc/remote-run-journal.ts";
import { RemoteRunnerService } from "#adapters/grpc/remote-runner-service.ts";
import { RemoteSessionService } from "#adapters/grpc/remote-session-service.ts";
import { openAuditor } from "#shared/audit/open-auditor.ts";
import type { ConfigOf } from "#shared/config/config-schema.ts";
import { createLiveMetrics, createPushMetrics, createWebhookMetrics } from "#shared/metrics/delivery-metrics.ts";
import { createRequestMetrics } from "#shared/metrics/request-metrics.ts";
import { createRetentionMetrics } from "#shared/metrics/retention-metrics.ts";
import { PeerHealth, peerOptions } from "#shared/process/peer-health.ts";
import type { ServiceContext, ServiceProcess } from "#shared/process/service-process.ts";
import type { ServiceConfig } from "#shared/process/service-settings.ts";
import { openQuotas } from "#shared/quota/open-quotas.ts";
import { openInboxStore, openPushStore, openScheduleStore, openWebhookStore } from "#shared/stores/due-stores.ts";
import { openKeyStore } from "#shared/stores/key-store.ts";
import { tracing } from "#shared/tracing/call-tracer.ts";
import { openRunTransport } from "#shared/transport/run-transport.ts";
import { bindRuns } from "./access/bind-runs.ts";
import { bindStorage } from "./access/bind-storage.ts";
import { createGateway } from "./app.ts";
import { gatewayProcessConfigSchema } from "./config.ts";
import type { GatewayDeps } from "./deps.ts";
import { assertMayListen } from "./identity/may-listen.ts";
import { openIdentity } from "./identity/open-identity.ts";
import { closeGateway, cutOffGateway, listen } from "./listen.ts";
import { openEditor } from "./open-editor.ts";
import { notifyReadersOfCancellation } from "./runs/notify-readers-of-cancellation.ts";

type Context = ServiceContext<ConfigOf<typeof gatewayProcessConfigSchema> & ServiceConfig>;

/** Session services that share a database read the deletions every five seconds. */
const DELETION_SETTLE_MS = 6_000;

/**
 * The gateway process answers HTTP. It has no state of its own: its data comes from the other services and from the
 * streams in Redis.
 */
export const gatewayProcess: ServiceProcess<typeof gatewayProcessConfigSchema> = {
  name: "gateway",
  schema: gatewayProcessConfigSchema,
  open: async (context) => {
    assertMayListen(context.config, context.config.HOST);
    const gateway = await createGateway(await openDeps(context));
    context.stack.defer(() => cutOffGateway(gateway));
    const { HOST, PORT } = context.config;
    return {
      addresses: { url: await listen(gateway, HOST, PORT) },
      stopAccepting: () => closeGateway(gateway),
      abortStragglers: () => cutOffGateway(gateway),
    };
  },
};

async function openDeps(context: Context): Promise<GatewayDeps> {
  const { config, clock, ids, logger, stack, metrics, readiness, needs, peers, watches } = context;
  const builder = openEditor(config);
  const runner = peerOptions(context, "runner", config.RUNNER_SERVICE_ADDRESS);
  const session = peerOptions(context, "session", config.SESSION_SERVICE_ADDRESS);
  const { runStream, traceStore, idempotencyStore, endedSessions, quotaLedger, runQuota } = await openRunTransport({
    config,
    clock,
    logger,
    stack,
    peers,
    readiness,
    registry: metrics.registry,
  });
  const artifact = peerOptions(context, "artifact", config.ARTIFACT_SERVICE_ADDRESS);
  const memory = peerOptions(context, "memory", config.MEMORY_SERVICE_ADDRESS);
  const evaluation = peerOptions(context, "eval", config.EVAL_SERVICE_ADDRESS);
  needs(stack.use(new PeerHealth("session", session)));
  needs(stack.use(new PeerHealth("runner", runner)));
  // The health of the other services is reported by their own processes.
  watches(stack.use(new PeerHealth("artifact", artifact)));
  watches(stack.use(new PeerHealth("memory", memory)));
  watches(stack.use(new PeerHealth("eval", evaluation)));
  const sessionService = stack.use(new RemoteSessionService(session));
  const registry = metrics.registry;
  const artifactService = stack.use(new RemoteArtifactService(artifact));
  const memoryService = stack.use(new RemoteMemoryService(memory));
  const evalStore = stack.use(new RemoteEvalStore(evaluation));
  const storage = bindStorage({
    ...{ sessions: sessionService, artifacts: artifactService, memory: memoryService, evaluations: evalStore },
  });
  const runJournal = stack.use(new RemoteRunJournal(session));
  const runners = bindRuns(stack.use(new RemoteRunnerService(runner)));
  return {
    sessionService,
    runJournal,
    artifactService,
    memoryService,
    evalStore,
    userCredentials: stack.use(new RemoteCredentialService(session)),
    evalJobs: stack.use(new RemoteEvalJobs(evaluation)),
    evalPermits: context.security.signsPrincipals ? stack.use(new RemoteEvaluationPermits(session)) : undefined,
    pushStore: await openPushStore(context),
    scheduleStore: await openScheduleStore(context),
    inboxStore: await openInboxStore(context),
    webhookStore: await openWebhookStore(context),
    countLiveDrops: createLiveMetrics(registry),
    countRetention: config.RETENTION_FILE === "" ? undefined : createRetentionMetrics(registry),
    countPush: config.A2A_PUSH === "off" ? undefined : createPushMetrics(registry),
    countWebhook: config.WEBHOOKS === "off" ? undefined : createWebhookMetrics(registry),
    runnerService: notifyReadersOfCancellation(runners, { runJournal, runStream, logger }),
    liveRunner: runners,
    runStream,
    traceStore,
    idempotencyStore,
    endedSessions,
    clock,
    ids,
    logger,
    config,
    ...requestScope(context),
    auditor: await openAuditor({ config, clock, ids, logger, stack, registry }),
    quotas: await openQuotas({ config, ledger: quotaLedger, runQuota, storage, clock, ids, logger, registry }),
    deletionSettleMs: DELETION_SETTLE_MS,
    requestObserver: createRequestMetrics(registry),
    readMetrics: metrics.read,
    readiness,
    builder,
    hasRemoteRunners: true,
    ...(await openIdentity({ ...context, openKeyStore: () => openKeyStore(context) })),
  };
}

function requestScope(context: Context): Pick<GatewayDeps, "requestScope"> {
  const { exporter, security } = context;
  if (exporter === undefined && !security.signsPrincipals) return {};
  return {
    requestScope: { ...tracing(context), signsPrincipals: security.signsPrincipals },
  };
}
