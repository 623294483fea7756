import { hostname } from "node:os";
import { RemoteArtifactService } from "#adapters/grpc/remote-artifact-service.ts";
import { RemoteCredentialService } from "#adapters/grpc/remote-credential-service.ts";
import { RemoteMemoryService } from "#adapters/grpc/remote-memory-service.ts";
import { RemoteRunJournal } from "#adapters/grpc/remote-run-journal.ts";
import { RemoteSessionService } from "#adapters/grpc/remote-session-service.ts";
import { loadSchemaChecker } from "#kit/schema/schema.ts";
import { openAgentLoader } from "#shared/agents/open-agent-loader.ts";
import type { ConfigOf } from "#shared/config/config-schema.ts";
import { signGrantOnce } from "#shared/grpc/sign-grant-once.ts";
import { observeAppends } from "#shared/metrics/store-metrics.ts";
import { openGrpcProcess } from "#shared/process/grpc-process.ts";
import { PeerHealth, peerOptions } from "#shared/process/peer-health.ts";
import type { ServiceContext, ServiceProcess } from "#shared/process/service-process.ts";
import type { ServiceConfig } from "#shared/process/service-settings.ts";
import { openQuotas } from "#shared/quota/open-quotas.ts";
import { openRunTransport } from "#shared/transport/run-transport.ts";
import { runnerProcessConfigSchema } from "./config.ts";
import { createRunReaper } from "./create-run-reaper.ts";
import { createRunnerService } from "./create-runner-service.ts";
import type { RunnerDeps } from "./deps.ts";
import { spanSinks } from "./execution/span-sinks.ts";
import { createRunMetrics } from "./metrics/run-metrics.ts";
import { openAnalytics } from "./open-analytics.ts";
import { openOutbound } from "./open-outbound.ts";
import { createRunnerServer } from "./server.ts";

type Context = ServiceContext<ConfigOf<typeof runnerProcessConfigSchema> & ServiceConfig>;

/** The runner process. Events of its runs are stored by the session service, their streams by Redis. */
export const runnerProcess: ServiceProcess<typeof runnerProcessConfigSchema> = {
  name: "runner",
  schema: runnerProcessConfigSchema,
  open: async (context) => {
    const deps = await openDeps(context);
    await loadSchemaChecker();
    const runner = context.stack.use(createRunnerService(deps));
    const reaper = context.stack.use(createRunReaper(deps, runner));
    const parts = await openGrpcProcess(context, (shell) => createRunnerServer({ ...shell, runner }), {
      stop: () => {
        reaper[Symbol.dispose]();
        runner.drain();
        runner.handOverLiveRuns();
      },
      whenIdle: () => runner.whenIdle(),
      abort: () => runner.handOverRuns(),
      readApps: () => runner.readApps(),
    });
    reaper.start();
    return parts;
  },
};

async function openDeps(context: Context): Promise<RunnerDeps> {
  const { config, clock, ids, logger, stack, metrics, exporter, logExporter, readiness, needs, peers, watches } =
    context;
  const { registry } = metrics;
  const session = peerOptions(context, "session", config.SESSION_SERVICE_ADDRESS);
  const agentLoader = await openAgentLoader(config, logger);
  stack.defer(() => agentLoader.close());
  const { runStream, traceStore, runNotifications, runQuota, quotaLedger } = await openRunTransport({
    config,
    clock,
    logger,
    stack,
    peers,
    registry,
    readiness,
  });
  const artifact = peerOptions(context, "artifact", config.ARTIFACT_SERVICE_ADDRESS);
  const memory = peerOptions(context, "memory", config.MEMORY_SERVICE_ADDRESS);
  needs(stack.use(new PeerHealth("session", session)));
  // Runs need artifacts and memory only when an agent uses them.
  watches(stack.use(new PeerHealth("artifact", artifact)));
  watches(stack.use(new PeerHealth("memory", memory)));
  const runJournal = stack.use(new RemoteRunJournal(session));
  const prepare = signGrantOnce(() => runJournal.signGrant());
  return {
    agentLoader,
    sessionService: stack.use(new RemoteSessionService(session)),
    runJournal: observeAppends(runJournal, { registry, clock }),
    artifactService: stack.use(new RemoteArtifactService({ ...artifact, prepare })),
    memoryService: stack.use(new RemoteMemoryService({ ...memory, prepare })),
    credentialService: stack.use(new RemoteCredentialService(session)),
    outbound: stack.use(openOutbound(config)),
    runStream,
    runNotifications,
    runQuota,
    quotas: await openQuotas({ config, ledger: quotaLedger, runQuota, clock, ids, logger, registry }),
    spanSinks: spanSinks({ traceStore, exporter, logExporter, config, clock, logger }),
    observer: createRunMetrics(registry),
    openAnalyticsPlugins: await openAnalytics(config),
    clock,
    ids,
    logger,
    config,
    // With the pod's name, which is its host name. A restarted runner gets a new one: it must not recover runs that an old
    // process of the same name still executes.
    holder: `runner-${hostname()}-${ids.next()}`,
  };
}
