import type { App } from "#kit/core/app.ts";
import { type ModelProperties, propertiesOf } from "#kit/models/model-properties.ts";
import { SessionCache } from "#kit/runs/base/session-cache.ts";
import { Runner } from "#kit/runs/runner.ts";
import { QuotaModelBudget } from "#shared/quota/quota-model-budget.ts";
import { currentCallScope } from "#shared/security/call-scope.ts";
import { parseTraceParent } from "#shared/tracing/trace-context.ts";
import type { RunnerConfig } from "./config.ts";
import type { RunnerDeps } from "./deps.ts";
import { RunExecutor } from "./execution/run-executor.ts";
import { RunnerPool } from "./execution/runner-pool.ts";
import { capturesContent } from "./execution/span-sinks.ts";
import { InProcessRunnerService } from "./in-process-runner-service.ts";
import { LiveClients } from "./live/live-clients.ts";
import { AnalyticsTotals } from "./metrics/analytics-totals.ts";
import { AgentRevisions } from "./revisions/agent-revisions.ts";

/** Runners recover lost runs. A queued message ends a lost run only when no runner has recovered it for this long. */
const ABANDON_AFTER_LEASES = 60;

export function createRunnerService(deps: RunnerDeps): InProcessRunnerService {
  const { sessionService, runJournal, artifactService, memoryService, clock, ids, logger, config, holder } = deps;
  const sessionCache = new SessionCache(config.SESSION_CACHE_BYTES);
  const { quotas, credentialService, outbound } = deps;
  const modelBudget = quotas && new QuotaModelBudget({ quotas, clock, ids, logger });
  const analytics = new AnalyticsTotals();
  deps.observer?.watchAnalytics?.(() => analytics.read());
  const createRunner = (app: App): Runner => {
    const plugins = deps.openAnalyticsPlugins?.() ?? [];
    analytics.opened(app, plugins);
    return new Runner({
      app,
      plugins,
      journal: runJournal,
      sessionService,
      artifactService,
      memoryService,
      credentialService,
      outbound,
      clock,
      ids,
      logger,
      sessionCache,
      holder,
      leaseMs: config.LEASE_MS,
      abandonAfterMs: ABANDON_AFTER_LEASES * config.LEASE_MS,
      onLease: (outcome) => deps.observer?.leaseKept?.(outcome),
      captureContent: capturesContent(config),
      modelProperties: modelPropertiesOf(config),
      errorDetail: deps.errorDetail,
      traceParent: () => parseTraceParent(currentCallScope()?.traceParent),
      modelBudget,
      fileUriHosts: config.FILE_URI_HOSTS,
      runConfig: {
        maxLlmCalls: config.MAX_LLM_CALLS,
        maxAnswerCharacters: config.MAX_ANSWER_CHARACTERS,
        maxAnswerParts: config.MAX_ANSWER_PARTS,
        maxRunEvents: config.MAX_RUN_EVENTS,
        maxRunCharacters: config.MAX_RUN_CHARACTERS,
      },
    });
  };
  const revisions = new AgentRevisions(deps);
  const pool = new RunnerPool({
    createRunner,
    keeps: (app) => revisions.keeps(app),
    onCloseError: (error) => logger.warn({ error }, "an app could not be closed"),
    onClosed: (app) => analytics.closed(app),
  });
  const liveClients = new LiveClients(config);
  return new InProcessRunnerService({
    ...deps,
    pool,
    revisions,
    liveClients,
    executor: new RunExecutor({ ...deps, liveClients }),
  });
}

/** Undefined if every setting has its default, so that nothing is added to the calls of models. */
function modelPropertiesOf(config: RunnerConfig): ModelProperties | undefined {
  const { MODEL_OBSERVABILITY, MODEL_METRICS, MODEL_VALIDATION, MODEL_VALIDATION_FAIL_FAST } = config;
  const properties: ModelProperties = {
    maxTokens: config.MODEL_MAX_TOKENS,
    temperature: config.MODEL_TEMPERATURE,
    topK: config.MODEL_TOP_K,
    topP: config.MODEL_TOP_P,
    observability:
      MODEL_OBSERVABILITY && MODEL_METRICS
        ? undefined
        : { enabled: MODEL_OBSERVABILITY, metricsEnabled: MODEL_METRICS },
    validation:
      MODEL_VALIDATION && MODEL_VALIDATION_FAIL_FAST
        ? undefined
        : { enabled: MODEL_VALIDATION, failFast: MODEL_VALIDATION_FAIL_FAST },
  };
  return propertiesOf(properties);
}
