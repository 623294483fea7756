import { App, createApp } from "#kit/core/app.ts";
import type { BaseAgent } from "#kit/core/base-agent.ts";
import { ConcurrencyLimit } from "#kit/core/executor.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { BaseLlm } from "#kit/models/base-llm.ts";
import { defaultModelRegistry } from "#kit/models/registry/model-registry.ts";
import { type Clock, systemClock } from "#kit/platform/clock.ts";
import { type IdGenerator, UuidV7Generator } from "#kit/platform/id-generator.ts";
import { MetricRegistry } from "../engine/metric-registry.ts";
import { createEvalSetResult, type EvalCaseResult, type EvalSetResult } from "../eval-result.ts";
import type { EvalSet } from "../eval-set.ts";
import { type EvalConfig, metricsOf } from "../formats/eval-config.ts";
import { type CaseEvaluation, runAndEvaluate } from "../inference/run-and-evaluate.ts";
import { askModel, createModelJudge } from "../judges/model-judge.ts";
import type { CustomMetricFunction } from "../metrics/custom-metric.ts";
import type { ManagedEvaluator } from "../metrics/managed-metrics.ts";
import { customMetrics } from "./custom-metrics.ts";
import { LocalSessions } from "./local-sessions.ts";

const DEFAULT_PARALLEL = 4;

/** As `evaluate`, which loads this with its first call. */
export async function evaluateSet(
  agent: App | BaseAgent,
  evalSet: EvalSet,
  config: EvalConfig,
  options: EvaluateOptions,
): Promise<EvalSetResult> {
  const { clock = systemClock, ids = new UuidV7Generator(), models = defaultModelRegistry, managed } = options;
  const { signal = new AbortController().signal, parallel = DEFAULT_PARALLEL, onCaseResult } = options;
  const { evalSetId, evalCases } = evalSet;
  if (evalCases.length === 0)
    throw new PlatformError("INVALID_FIELD", `The evaluation set ${evalSetId} has no cases.`, {
      details: { evalSetId },
    });
  const app = agent instanceof App ? agent : createApp({ name: agent.name, rootAgent: agent });
  const custom = customMetrics(config, options.customMetrics ?? {});
  const registry = new MetricRegistry({ custom, managed });
  const metrics = metricsOf(config);
  for (const { metricName } of metrics) registry.find(metricName);
  const resolve = (name: string): BaseLlm => models.resolve(name);
  const evaluation: CaseEvaluation = {
    ...{ evalSetId, metrics, registry, signal, userSimulatorConfig: config.userSimulatorConfig },
    judges: createModelJudge(resolve),
    askUser: (call, aborted) => askModel(resolve, call, aborted),
  };
  const sessions = new LocalSessions(app, { clock, ids });
  const limit = new ConcurrencyLimit(parallel);
  const results = await Promise.all(
    evalCases.map((evalCase) =>
      limit.execute(async () => {
        signal.throwIfAborted();
        const result = await runAndEvaluate(evalCase, await sessions.open(evalCase), evaluation);
        onCaseResult?.(result);
        return result;
      }),
    ),
  );
  const creationTimestamp = clock.now() / 1000;
  return createEvalSetResult(app.name, { evalSetId, evalCaseResults: results, creationTimestamp });
}

/** Settings of one evaluation; all have defaults. */
export interface EvaluateOptions {
  /** Functions of the config's custom metrics, by the names of the metrics. */
  readonly customMetrics?: Readonly<Record<string, CustomMetricFunction>>;
  /** Finds the models of judges and simulated users; the models of agents if absent. */
  readonly models?: { resolve(name: string): BaseLlm };
  /** Computes the metrics of a managed service. */
  readonly managed?: ManagedEvaluator;
  /** How many cases are evaluated at the same time; 4 if absent. */
  readonly parallel?: number;
  readonly signal?: AbortSignal;
  /** Called with the result of each case, in the order in which they end. */
  readonly onCaseResult?: (result: EvalCaseResult) => void;
  readonly clock?: Clock;
  readonly ids?: IdGenerator;
}
