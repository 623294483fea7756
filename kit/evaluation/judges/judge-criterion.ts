import { MODEL_NAMES } from "#kit/models/registry/model-names.ts";
import { copyPlain, type JsonObject } from "#kit/platform/json.ts";
import { readJson } from "#kit/schema/read-json.ts";
import { type Static, Type } from "#kit/schema/shape.ts";
import type { EvalMetric } from "../eval-result.ts";
import type { Rubric } from "../eval-set.ts";
import { criterionOf } from "../metrics/metric.ts";
import { thresholdOf } from "../metrics/scores.ts";

const RUBRICS = Type.Array(
  Type.As<Rubric>(
    Type.Object({
      rubricId: Type.String({ minLength: 1 }),
      rubricContent: Type.Object({ textProperty: Type.String({ minLength: 1 }) }),
      description: Type.Optional(Type.String()),
      type: Type.Optional(Type.String()),
    }),
  ),
);

const CRITERION = Type.Object({
  judgeModelOptions: Type.Optional(
    Type.Object({
      judgeModel: Type.Optional(Type.String({ minLength: 1 })),
      judgeModelConfig: Type.Optional(Type.JsonObject()),
      numSamples: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
      parallelismLimit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    }),
  ),
  includeIntermediateResponsesInFinal: Type.Optional(Type.Boolean()),
  rubrics: Type.Optional(RUBRICS),
  evaluateIntermediateNlResponses: Type.Optional(Type.Boolean()),
  stopSignal: Type.Optional(Type.String({ minLength: 1 })),
});

/** The criterion of a metric that asks a judge, with the defaults of what it leaves out. */
export interface JudgeCriterion extends Omit<Static<typeof CRITERION>, "judgeModelOptions"> {
  readonly threshold: number;
  readonly judge: JudgeOptions;
}

export interface JudgeOptions {
  readonly model: string;
  readonly config: JsonObject | undefined;
  /** How often each question is asked; the majority decides. */
  readonly samples: number;
  /** How many questions are asked at the same time. */
  readonly parallel: number;
}

const DEFAULT_JUDGE = MODEL_NAMES.gemini;
const DEFAULT_SAMPLES = 5;

/** Throws `INVALID_FIELD`. A metric with only a threshold has the defaults. */
export function judgeCriterion(metric: EvalMetric): JudgeCriterion {
  // The reader changes its argument in place, so it gets a copy.
  const { judgeModelOptions = {}, ...rest } = readJson(CRITERION, copyPlain(criterionOf(metric)), metric.metricName);
  const { judgeModel = DEFAULT_JUDGE, judgeModelConfig, numSamples, parallelismLimit = 1 } = judgeModelOptions;
  const judge = {
    model: judgeModel,
    config: judgeModelConfig,
    samples: numSamples ?? DEFAULT_SAMPLES,
    parallel: parallelismLimit,
  };
  return { ...rest, threshold: thresholdOf(metric), judge };
}
