import { PlatformError } from "#kit/errors/platform-error.ts";
import { parseEvalCase, parseEvalSetResult } from "#kit/evaluation/eval-json.ts";
import type { EvalSetResult } from "#kit/evaluation/eval-result.ts";
import type { EvalCase, EvalSet } from "#kit/evaluation/eval-set.ts";
import type { CreateEvalSetRequest, EvalSetKey } from "./eval-store.ts";

/**
 * The rules for changing sets, the same in every store. Each function returns a new set. Arguments are checked
 * (`INVALID_FIELD`, `INVALID_IDENTIFIER`), so that all stored data can be read.
 */

export function newEvalSet(request: CreateEvalSetRequest, nowMs: number): EvalSet {
  const { evalSetId, name, description, evalCases = [], creationTimestamp = nowMs / 1000 } = request;
  const empty: EvalSet = {
    evalSetId,
    name,
    description,
    evalCases: [],
    creationTimestamp,
  };
  return evalCases.reduce((set, evalCase, index) => addTo(set, evalCase, `eval_cases[${index}]`), empty);
}

export function withCase(set: EvalSet, evalCase: EvalCase): EvalSet {
  return addTo(set, evalCase, "eval_case");
}
export function withCaseReplaced(set: EvalSet, evalCase: EvalCase): EvalSet {
  const checked = checkedCase(evalCase, "eval_case");
  assertHasCase(set, checked.evalId);
  return { ...set, evalCases: set.evalCases.map((each) => (each.evalId === checked.evalId ? checked : each)) };
}

export function withoutCase(set: EvalSet, evalId: string): EvalSet {
  assertHasCase(set, evalId);
  return { ...set, evalCases: set.evalCases.filter((each) => each.evalId !== evalId) };
}

export function findCase(set: EvalSet, evalId: string): EvalCase | undefined {
  return set.evalCases.find((each) => each.evalId === evalId);
}

export function caseIds(set: EvalSet): readonly string[] {
  return set.evalCases.map(({ evalId }) => evalId).sort();
}

export function evalSetNotFound({ evalSetId }: EvalSetKey): PlatformError {
  return new PlatformError("EVAL_SET_NOT_FOUND", `Evaluation set not found: ${evalSetId}`, { details: { evalSetId } });
}

export function evalSetAlreadyExists({ appName, evalSetId }: EvalSetKey): PlatformError {
  return new PlatformError(
    "EVAL_SET_ALREADY_EXISTS",
    `Evaluation set ${evalSetId} already exists for app ${appName}. Choose another id.`,
    { details: { evalSetId } },
  );
}

export function checkedResult(result: EvalSetResult): EvalSetResult {
  // The parser changes its argument in place, so it gets a copy.
  return parseEvalSetResult(structuredClone(result));
}

function addTo(set: EvalSet, evalCase: EvalCase, field: string): EvalSet {
  const checked = checkedCase(evalCase, field);
  if (findCase(set, checked.evalId) !== undefined) {
    throw new PlatformError(
      "EVAL_CASE_ALREADY_EXISTS",
      `Evaluation case ${checked.evalId} already exists in set ${set.evalSetId}. Choose another id or update the case.`,
      { details: { evalSetId: set.evalSetId, evalId: checked.evalId } },
    );
  }
  return { ...set, evalCases: [...set.evalCases, checked] };
}

function checkedCase(evalCase: EvalCase, field: string): EvalCase {
  // The parser changes its argument in place, so it gets a copy.
  return parseEvalCase(structuredClone(evalCase), field);
}

function assertHasCase(set: EvalSet, evalId: string): void {
  if (findCase(set, evalId) !== undefined) return;
  throw new PlatformError("EVAL_CASE_NOT_FOUND", `Evaluation case not found in set ${set.evalSetId}: ${evalId}`, {
    details: { evalSetId: set.evalSetId, evalId },
  });
}
