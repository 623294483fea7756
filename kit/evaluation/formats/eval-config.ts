import { copyPlain, isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { invalidField, readJson } from "#kit/schema/read-json.ts";
import { type Static, Type } from "#kit/schema/shape.ts";
import type { EvalMetric } from "../eval-result.ts";

const CUSTOM_METRIC = Type.Object({
  codeConfig: Type.Object({ name: Type.String({ minLength: 1 }) }),
  metricInfo: Type.Optional(
    Type.Object({
      description: Type.Optional(Type.String()),
      metricValueInfo: Type.Optional(
        Type.Object({
          interval: Type.Optional(
            Type.Object({
              minValue: Type.Number(),
              openAtMin: Type.Optional(Type.Boolean()),
              maxValue: Type.Number(),
              openAtMax: Type.Optional(Type.Boolean()),
            }),
          ),
        }),
      ),
    }),
  ),
  description: Type.Optional(Type.String()),
});

const SIMULATOR = Type.Object({
  type: Type.Optional(Type.Literal("llm_backed")),
  model: Type.Optional(Type.String({ minLength: 1 })),
  modelConfiguration: Type.Optional(Type.JsonObject()),
  maxAllowedInvocations: Type.Optional(Type.Integer({ minimum: -1, maximum: 1000 })),
  customInstructions: Type.Optional(Type.String()),
  includeFunctionCalls: Type.Optional(Type.Boolean()),
});

const CONFIG = Type.Object({
  criteria: Type.Optional(Type.Map(Type.Json())),
  customMetrics: Type.Optional(Type.Map(CUSTOM_METRIC)),
  userSimulatorConfig: Type.Optional(SIMULATOR),
});

/** The location of a custom metric's function, and the description of the metric. */
export type CustomMetricConfig = Static<typeof CUSTOM_METRIC>;
export type UserSimulatorConfig = Static<typeof SIMULATOR>;

/** The metrics and settings of an evaluation: the content of a `test_config.json`. */
export interface EvalConfig {
  /** A threshold, or a criterion, by the name of its metric. */
  readonly criteria: Readonly<Record<string, number | JsonObject>>;
  readonly customMetrics: Readonly<Record<string, CustomMetricConfig>>;
  readonly userSimulatorConfig?: UserSimulatorConfig;
}

/** The config of evaluations that have none. */
export const DEFAULT_EVAL_CONFIG: EvalConfig = {
  criteria: { tool_trajectory_avg_score: 1, response_match_score: 0.8 },
  customMetrics: {},
};

/** Reads both spellings. Throws `INVALID_FIELD`, naming the field. */
export function parseEvalConfig(value: unknown): EvalConfig {
  // The reader changes its argument in place, so it gets a copy. A criterion may contain anything that JSON can
  // express.
  const given = isJsonObject(value) ? copyPlain(value) : value;
  const { criteria = {}, customMetrics = {}, userSimulatorConfig } = readJson(CONFIG, given, "config");
  const checked = Object.entries(criteria).map(
    ([name, criterion]) => [name, checkedCriterion(name, criterion)] as const,
  );
  return {
    criteria: Object.fromEntries(checked),
    customMetrics,
    userSimulatorConfig,
  };
}

/** The metrics that the criteria ask for. */
export function metricsOf({ criteria, customMetrics }: EvalConfig): readonly EvalMetric[] {
  return Object.entries(criteria).map(([metricName, criterion]) => {
    const own = typeof criterion === "number" ? { threshold: criterion } : criterion;
    const threshold = own["threshold"];
    const customFunctionPath = customMetrics[metricName]?.codeConfig.name;
    return {
      metricName,
      threshold: typeof threshold === "number" ? threshold : undefined,
      criterion: own,
      customFunctionPath,
    };
  });
}

function checkedCriterion(name: string, criterion: JsonValue): number | JsonObject {
  if (typeof criterion === "number") return criterion;
  if (isJsonObject(criterion) && typeof criterion["threshold"] === "number") return criterion;
  throw invalidField(`config.criteria.${name}`, "must be a number, or an object with a threshold");
}
