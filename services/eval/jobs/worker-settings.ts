import { Type } from "#kit/schema/shape.ts";
import type { ConfigOf } from "#shared/config/config-schema.ts";

/** How evaluations are run. */
export const evalWorkerConfigSchema = Type.Object({
  EVAL_JUDGE_MODELS: Type.Array(Type.String({ minLength: 1 }), {
    default: [],
    description:
      "Models that may judge and simulate users in evaluations on the server, comma separated, such as gemini-3.8-flash; the first is the default. Their keys are set as for runners. Without a model, metrics that ask a judge are not listed.",
  }),
  EVAL_PARALLEL_CASES: Type.Integer({
    default: 4,
    minimum: 1,
    maximum: 100,
    description: "Cases of one evaluation that run at the same time.",
  }),
  EVAL_MAX_JOBS: Type.Integer({
    default: 4,
    minimum: 1,
    maximum: 1000,
    description: "Evaluations that one process runs at the same time; others wait.",
  }),
  EVAL_LEASE_MS: Type.Integer({
    default: 10_000,
    minimum: 300,
    maximum: 3_600_000,
    description: "Time after which an evaluation whose process was lost is continued by another, in ms.",
  }),
  EVAL_TIMEOUT_MS: Type.Integer({
    default: 24 * 60 * 60 * 1000,
    minimum: 1000,
    maximum: 24 * 60 * 60 * 1000,
    description: "Longest evaluation in ms, from its start; then it fails. At most a day.",
  }),
  EVAL_RETENTION_DAYS: Type.Integer({
    default: 30,
    minimum: 1,
    maximum: 3650,
    description:
      "How long evaluations that have ended can be read, with the states of their cases. Their results stay.",
  }),
});

export type EvalWorkerConfig = ConfigOf<typeof evalWorkerConfigSchema>;
