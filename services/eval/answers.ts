import { MAX_MESSAGE_BYTES } from "#adapters/grpc/messages/messages.ts";
import { MAX_IDENTIFIER_BYTES } from "#kit/names/identifiers.ts";
import { NAMES_OF_PAGE } from "#kit/names/name-pages.ts";
import { MAX_JOBS_PAGE_CHARACTERS } from "#ports/evaluation-jobs/tabular-eval-job-store.ts";
import { MAX_DATA_PAGE_CHARACTERS } from "#ports/tenants/data-pages.ts";
import { MAX_OLD_PAGE } from "#ports/tenants/old-data.ts";
import type { EvalServiceDefinition } from "#proto/fairlead/eval/v1/EvalService.ts";
import type { AnswerBounds } from "#shared/grpc/answer-bounds.ts";

/** Data as values, as JSON and as bytes. */
const COPIES = 3;
/** What a set or a result has at most if the call does not say how much it expects. */
export const DEFAULT_BYTES = 256 * 1024;
/** Stored JSON as bytes and text, its values, the checked ones, and the answer as text and bytes. */
const COPIES_OF_STORED = 8;
/** A job has what its request asked for. */
const JOB_BYTES = COPIES * MAX_MESSAGE_BYTES;

function sized({ maxBytes = DEFAULT_BYTES }: { readonly maxBytes?: number }): number {
  return COPIES_OF_STORED * maxBytes;
}

/** Names and the time of a result. */
const ITEM_BYTES = 2048;

/** How the answers about evaluations are bounded: stored data by the size that a call expects, lists by their pages. */
export const EVAL_ANSWERS: AnswerBounds<EvalServiceDefinition> = {
  ListData: COPIES * MAX_DATA_PAGE_CHARACTERS,
  DeleteData: "small",
  ListOldData: COPIES * ITEM_BYTES * MAX_OLD_PAGE,
  DeleteOldData: "small",
  ListEvaluationData: COPIES * MAX_DATA_PAGE_CHARACTERS,
  DeleteEvaluationData: "small",
  CreateEvalSet: COPIES * MAX_MESSAGE_BYTES,
  ListEvalSets: COPIES * NAMES_OF_PAGE * MAX_IDENTIFIER_BYTES,
  GetEvalSet: sized,
  DeleteEvalSet: "small",
  ListEvalCases: sized,
  GetEvalCase: sized,
  AddEvalCase: "small",
  UpdateEvalCase: "small",
  DeleteEvalCase: "small",
  SaveEvalSetResult: "small",
  ListEvalSetResults: COPIES * NAMES_OF_PAGE * MAX_IDENTIFIER_BYTES,
  GetEvalSetResult: sized,
  ReadStored: "small",
  DescribeEvaluations: "of-the-operator",
  StartEvaluation: JOB_BYTES,
  GetEvaluation: JOB_BYTES,
  ListEvaluations: COPIES * MAX_JOBS_PAGE_CHARACTERS + JOB_BYTES,
  ListEvaluationCases: COPIES * MAX_JOBS_PAGE_CHARACTERS,
  ListEvaluationResults: COPIES * MAX_JOBS_PAGE_CHARACTERS + JOB_BYTES,
  // One change at a time.
  WatchEvaluation: JOB_BYTES,
  CancelEvaluation: JOB_BYTES,
};
