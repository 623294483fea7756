import type { ReasonEntry } from "./reason-entry.ts";

/** The reasons of errors of evaluations, and of what stores have of them. */
export const EVALUATION_REASONS = {
  EVAL_SET_NOT_FOUND: { code: "NOT_FOUND", meaning: "The app has no evaluation set of that id." },
  EVAL_CASE_NOT_FOUND: { code: "NOT_FOUND", meaning: "The evaluation set has no case of that id." },
  EVAL_RESULT_NOT_FOUND: { code: "NOT_FOUND", meaning: "The app has no evaluation result of that id." },
  EVAL_JOB_NOT_FOUND: { code: "NOT_FOUND", meaning: "There is no evaluation of that id for the caller." },
  EVAL_JOB_CANCELLED: {
    code: "ABORTED",
    meaning: "The evaluation that the request waits for was cancelled. Its finished cases can still be read.",
  },
  EVAL_WORKERS_LOST: {
    code: "INTERNAL",
    meaning: "The processes that ran the evaluation were lost too often. It may need more memory than they have.",
  },
  EVAL_TIMED_OUT: {
    code: "DEADLINE_EXCEEDED",
    meaning: "The evaluation did not end in the time that EVAL_TIMEOUT_MS allows.",
  },
  TOO_MANY_EVALUATIONS: {
    code: "RESOURCE_EXHAUSTED",
    meaning:
      "The caller has as many evaluations that wait or run as are allowed. Wait until one has ended, or cancel one.",
  },
  EVAL_SET_ALREADY_EXISTS: { code: "ALREADY_EXISTS", meaning: "The app already has an evaluation set of that id." },
  EVAL_CASE_ALREADY_EXISTS: { code: "ALREADY_EXISTS", meaning: "The evaluation set already has a case of that id." },
  EVAL_DATA_BROKEN: {
    code: "DATA_LOSS",
    meaning: "A stored evaluation set or result is not valid. The message names it: repair it or delete it.",
  },
  EVAL_DATA_TOO_LARGE: {
    code: "RESOURCE_EXHAUSTED",
    meaning:
      "Stored evaluation data is larger than a read between services allows; `bytes` in the details is the size that it needs. Clients never get it.",
  },
  EVAL_USER_SILENT: {
    code: "INTERNAL",
    http: 502,
    meaning: "The model that plays the user of an evaluation wrote no message.",
  },
  EVAL_METRIC_UNAVAILABLE: {
    code: "FAILED_PRECONDITION",
    http: 409,
    meaning: "A metric cannot be computed for a case. The message says why, and the result has it as a remark.",
  },
} as const satisfies Record<string, ReasonEntry>;
