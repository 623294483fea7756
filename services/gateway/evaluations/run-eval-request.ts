import type { EvalMetric } from "#kit/evaluation/eval-result.ts";
import {
  DEFAULT_EVAL_CONFIG,
  metricsOf,
  parseEvalConfig,
  type UserSimulatorConfig,
} from "#kit/evaluation/formats/eval-config.ts";
import { isJsonObject, type JsonValue } from "#kit/platform/json.ts";
import { invalidField, readJson } from "#kit/schema/read-json.ts";
import { Type } from "#kit/schema/shape.ts";

/** What one evaluation is asked to do. */
export interface RunEvalRequest {
  /** Each id once; empty for all cases of the set. */
  readonly evalIds: readonly string[];
  readonly evalMetrics: readonly EvalMetric[];
  /** Settings of the simulated user, for cases with a scenario. */
  readonly userSimulatorConfig?: UserSimulatorConfig;
}

const MAX_METRICS = 100;

const Ids = Type.Optional(Type.Array(Type.String({ minLength: 1 })));

const METRIC = Type.Object({
  metricName: Type.String({ minLength: 1 }),
  threshold: Type.Optional(Type.Number()),
  criterion: Type.Optional(Type.JsonObject()),
});

const BODY = Type.Object({
  evalIds: Ids,
  evalCaseIds: Ids,
  evalMetrics: Type.Optional(Type.Array(Type.Json(), { maxItems: MAX_METRICS })),
  userSimulatorConfig: Type.Optional(Type.Json()),
});

const DEFAULT_METRICS = metricsOf(DEFAULT_EVAL_CONFIG);

/**
 * Reads both spellings of each member. Clients name the cases `evalIds` or `evalCaseIds`, and give metrics as objects or
 * by their names alone, which then have the thresholds of evaluations without a config. Throws `INVALID_FIELD`, naming
 * the field. The body is changed in place.
 */
export function parseRunEvalRequest(body: unknown): RunEvalRequest {
  const { evalIds = [], evalCaseIds = [], evalMetrics = [], ...rest } = readJson(BODY, body ?? {}, "body");
  const { userSimulatorConfig } = parseEvalConfig({ userSimulatorConfig: rest.userSimulatorConfig ?? null });
  const metrics = evalMetrics.map((metric, index) => toMetric(metric, `body.evalMetrics[${index}]`));
  const names = new Set<string>();
  for (const [index, { metricName }] of metrics.entries()) {
    if (names.has(metricName))
      throw invalidField(`body.evalMetrics[${index}].metricName`, `must be given once: "${metricName}"`);
    names.add(metricName);
  }
  return {
    evalIds: [...new Set([...evalIds, ...evalCaseIds])],
    evalMetrics: metrics.length === 0 ? DEFAULT_METRICS : metrics,
    userSimulatorConfig,
  };
}

function toMetric(given: JsonValue, field: string): EvalMetric {
  if (isJsonObject(given)) return readJson(METRIC, given, field);
  if (typeof given !== "string" || given === "")
    throw invalidField(field, "must be the name of a metric, or an object with metricName");
  return DEFAULT_METRICS.find(({ metricName }) => metricName === given) ?? { metricName: given };
}
