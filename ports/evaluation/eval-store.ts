import type { EvalSetResult } from "#kit/evaluation/eval-result.ts";
import type { EvalCase, EvalSet } from "#kit/evaluation/eval-set.ts";
import type { AppScope } from "#kit/names/app-scope.ts";
import type { SizeLimit } from "./size-limit.ts";

/** Names an evaluation set. */
export interface EvalSetKey extends AppScope {
  /** Letters, digits, `_` and `-`, at most 128 of them; anything else is refused with `INVALID_IDENTIFIER`. */
  readonly evalSetId: string;
}

/** Names a case of a set. */
export interface EvalCaseKey extends EvalSetKey {
  readonly evalId: string;
}

export interface CreateEvalSetRequest extends EvalSetKey {
  readonly name?: string;
  readonly description?: string;
  /** Seconds since the epoch; the store's clock when absent. */
  readonly creationTimestamp?: number;
  /** Each id once. */
  readonly evalCases?: readonly EvalCase[];
}

/**
 * Evaluation sets of apps, their cases, and the results of evaluations. Identifiers are checked (`INVALID_IDENTIFIER`);
 * an app need not exist. Cases and results must be well-formed (`INVALID_FIELD`). Reading stored data that is not valid
 * throws `EVAL_DATA_BROKEN`; such data can be deleted. Reads with a limit throw `EVAL_DATA_TOO_LARGE`, and then state the
 * size that they need.
 */
export interface EvalStore {
  /** Throws `EVAL_SET_ALREADY_EXISTS`, and `EVAL_CASE_ALREADY_EXISTS` if two cases share an id. */
  createEvalSet(request: CreateEvalSetRequest): Promise<EvalSet>;
  /** Ids in their order, the first or those after an id; at most 10,000 (`allNames` reads all). */
  listEvalSets(app: AppScope, after?: string): Promise<readonly string[]>;
  getEvalSet(key: EvalSetKey, limit?: SizeLimit): Promise<EvalSet | undefined>;
  /** Deletes the set with its cases; results stay. Throws `EVAL_SET_NOT_FOUND`. */
  deleteEvalSet(key: EvalSetKey): Promise<void>;

  /** Ids, sorted. Throws `EVAL_SET_NOT_FOUND`. */
  listEvalCases(key: EvalSetKey, limit?: SizeLimit): Promise<readonly string[]>;
  /** Undefined if the set has no such case or does not exist. */
  getEvalCase(key: EvalCaseKey, limit?: SizeLimit): Promise<EvalCase | undefined>;
  /** Adds at the end. Throws `EVAL_SET_NOT_FOUND`, `EVAL_CASE_ALREADY_EXISTS`. */
  addEvalCase(key: EvalSetKey, evalCase: EvalCase): Promise<void>;
  /** Replaces the case of the same id in its place. Throws `EVAL_SET_NOT_FOUND`, `EVAL_CASE_NOT_FOUND`. */
  updateEvalCase(key: EvalSetKey, evalCase: EvalCase): Promise<void>;
  /** Throws `EVAL_SET_NOT_FOUND`, `EVAL_CASE_NOT_FOUND`. */
  deleteEvalCase(key: EvalCaseKey): Promise<void>;

  /** Stores the result under its name and replaces an earlier one of that name. */
  saveEvalSetResult(app: AppScope, result: EvalSetResult): Promise<void>;
  /** Names in their order, the first or those after a name; at most 10,000. */
  listEvalSetResults(app: AppScope, after?: string): Promise<readonly string[]>;
  /** Finds the result by its name or its id. Undefined if there is none. */
  getEvalSetResult(app: AppScope, nameOrId: string, limit?: SizeLimit): Promise<EvalSetResult | undefined>;
}
