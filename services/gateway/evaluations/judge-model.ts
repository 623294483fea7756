import type { MetricRegistry } from "#kit/evaluation/engine/metric-registry.ts";
import type { EvalMetric } from "#kit/evaluation/eval-result.ts";
import type { UserSimulatorConfig } from "#kit/evaluation/formats/eval-config.ts";
import { judgeCriterion } from "#kit/evaluation/judges/judge-criterion.ts";
import { isJsonObject } from "#kit/platform/json.ts";
import { invalidField } from "#kit/schema/read-json.ts";

/**
 * The metric with the judge that it is to ask: the one that it names, or the server's first. Throws `INVALID_FIELD` for
 * a model that may not judge here, and for a criterion that is not an object.
 */
export function withJudgeModel(
  metric: EvalMetric,
  { registry, judgeModels }: { readonly registry: MetricRegistry; readonly judgeModels: readonly string[] },
): EvalMetric {
  const [first] = judgeModels;
  if (first === undefined || !registry.asksJudge(metric.metricName)) return metric;
  const { criterion = metric.threshold === undefined ? {} : { threshold: metric.threshold } } = metric;
  const { judgeModelOptions, judge_model_options: older, ...rest } = criterion;
  const given = judgeModelOptions ?? older ?? {};
  const field = `evalMetrics.${metric.metricName}.criterion.judgeModelOptions`;
  if (!isJsonObject(given)) throw invalidField(field, "must be an object");
  const { judgeModel, judge_model: olderModel, ...options } = given;
  const model = judgeModel ?? olderModel ?? first;
  if (typeof model !== "string" || !judgeModels.includes(model))
    throw invalidField(`${field}.judgeModel`, `must be a judge of this server: ${judgeModels.join(", ")}`);
  const asked = { ...metric, criterion: { ...rest, judgeModelOptions: { ...options, judgeModel: model } } };
  judgeCriterion(asked);
  return asked;
}

/** The config with the model that plays users: the one that it names, or the server's first. Throws `INVALID_FIELD`. */
export function withUserModel(
  config: UserSimulatorConfig | undefined,
  judgeModels: readonly string[],
): UserSimulatorConfig | undefined {
  const [first] = judgeModels;
  if (first === undefined) return config;
  const model = config?.model ?? first;
  if (!judgeModels.includes(model))
    throw invalidField("userSimulatorConfig.model", `must be a judge of this server: ${judgeModels.join(", ")}`);
  return { ...config, model };
}
