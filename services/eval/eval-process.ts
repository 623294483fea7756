import { hostname } from "node:os";
import { RemoteArtifactService } from "#adapters/grpc/remote-artifact-service.ts";
import { RemoteEvaluationPermits } from "#adapters/grpc/remote-evaluation-permits.ts";
import { RemoteRunJournal } from "#adapters/grpc/remote-run-journal.ts";
import { RemoteRunnerService } from "#adapters/grpc/remote-runner-service.ts";
import { RemoteSessionService } from "#adapters/grpc/remote-session-service.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { ConfigOf } from "#shared/config/config-schema.ts";
import { openGrpcProcess } from "#shared/process/grpc-process.ts";
import { PeerHealth, peerOptions } from "#shared/process/peer-health.ts";
import type { ServiceContext, ServiceProcess } from "#shared/process/service-process.ts";
import type { ServiceConfig } from "#shared/process/service-settings.ts";
import { openQuotas } from "#shared/quota/open-quotas.ts";
import { QuotaModelBudget } from "#shared/quota/quota-model-budget.ts";
import { openEvalJobStore } from "#shared/stores/eval-job-store.ts";
import { openEvalStore } from "#shared/stores/eval-store.ts";
import { openStore } from "#shared/stores/open-store.ts";
import { createStoreContext } from "#shared/stores/store-context.ts";
import { openQuotaLedger } from "#shared/transport/open-quota-ledger.ts";
import { redisAddress } from "#shared/transport/redis-settings.ts";
import { evalConfigSchema } from "./config.ts";
import { openEvaluations } from "./jobs/open-evaluations.ts";
import { SessionGrants } from "./jobs/session-grants.ts";
import { type EvalWorkerDeps, NO_CREDENTIALS } from "./jobs/worker-deps.ts";
import { createEvalServer } from "./server.ts";

type Context = ServiceContext<ConfigOf<typeof evalConfigSchema> & ServiceConfig>;

/** The evaluation process stores evaluation sets and results, and runs evaluations. */
export const evalProcess: ServiceProcess<typeof evalConfigSchema> = {
  name: "eval",
  schema: evalConfigSchema,
  open: async (context) => {
    const { ids, clock, logger, config, stack } = context;
    const modelBudget = await openModelBudget(context);
    // Both stores may be in the one data folder, which is locked once.
    const shared = createStoreContext(context);
    const evaluations = await openStore("eval", context, () => openEvalStore(shared));
    const { store: evalJobStore } = await openEvalJobStore(shared);
    const { jobs, worker } = openEvaluations({
      ...{ evalStore: evaluations, evalJobStore, clock, logger, config },
      ...openPeers(context),
      modelBudget,
      holder: `eval-${hostname()}-${ids.next()}`,
    });
    stack.use(worker);
    const parts = await openGrpcProcess(context, (shell) => createEvalServer({ ...shell, evaluations, jobs }), {
      stop: () => worker.drain(),
      whenIdle: () => worker[Symbol.asyncDispose](),
      abort: async () => {
        worker.abandon();
        await worker[Symbol.asyncDispose]();
      },
    });
    worker.start();
    return parts;
  },
};

/**
 * The budget for model calls of judges and simulated users; undefined without quotas or without models. Its counts are
 * in Redis or Postgres.
 */
async function openModelBudget(context: Context): Promise<QuotaModelBudget | undefined> {
  const { config, clock, ids, logger, stack, peers, metrics } = context;
  const { registry } = metrics;
  if (config.QUOTAS_FILE === "" || config.EVAL_JUDGE_MODELS.length === 0) return undefined;
  const { url, sentinels, clusterNodes } = redisAddress(config);
  if (config.TRANSPORT === "redis" && (url ?? sentinels ?? clusterNodes) === undefined)
    throw new PlatformError(
      "CONFIGURATION",
      "REDIS_URL is missing: with QUOTAS_FILE, what the models of EVAL_JUDGE_MODELS use is counted in Redis.",
    );
  const ledger = await openQuotaLedger({ config, clock, logger, stack, peers, registry });
  const quotas = await openQuotas({ config, ledger, runQuota: undefined, clock, ids, logger, registry });
  return quotas && new QuotaModelBudget({ quotas, clock, ids, logger });
}

/**
 * The services that the worker calls. Sets and results are served without them, so their health does not decide
 * readiness.
 */
function openPeers(
  context: Context,
): Pick<EvalWorkerDeps, "sessionService" | "runJournal" | "runnerService" | "artifactService" | "credentialsOf"> {
  const { config, stack, watches, clock } = context;
  const session = peerOptions(context, "session", config.SESSION_SERVICE_ADDRESS);
  const runner = peerOptions(context, "runner", config.RUNNER_SERVICE_ADDRESS);
  const artifact = peerOptions(context, "artifact", config.ARTIFACT_SERVICE_ADDRESS);
  watches(stack.use(new PeerHealth("session", session)));
  watches(stack.use(new PeerHealth("runner", runner)));
  watches(stack.use(new PeerHealth("artifact", artifact)));
  const permits = stack.use(new RemoteEvaluationPermits(session));
  return {
    sessionService: stack.use(new RemoteSessionService(session)),
    runJournal: stack.use(new RemoteRunJournal(session)),
    runnerService: stack.use(new RemoteRunnerService(runner)),
    artifactService: stack.use(new RemoteArtifactService(artifact)),
    credentialsOf: ({ permit }) =>
      permit === undefined ? NO_CREDENTIALS : new SessionGrants({ permit, permits, clock }),
  };
}
