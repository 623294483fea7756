import { assertIdentifier } from "../names/identifiers.ts";
import type { JsonObject } from "../platform/json.ts";
import { invalidField, readJson } from "../schema/read-json.ts";
import { writeValue } from "../schema/shape-writer.ts";
import { assertEvalSetId } from "./eval-ids.ts";
import { type EvalSetResult, evalSetResultName } from "./eval-result.ts";
import { type EvalCase, type EvalSet, TEST_USER } from "./eval-set.ts";
import { EVAL_CASE, EVAL_SET, EVAL_SET_RESULT, GIVEN_SET } from "./eval-tables.ts";

/**
 * Converts evaluation data from and to JSON. Every known member is accepted in camelCase and snake_case; null counts as
 * absent; unknown members, and everything inside arguments, states and similar values, stay unchanged.
 */

/** Throws `INVALID_FIELD` and `INVALID_IDENTIFIER`, naming the field. The value is changed in place. */
export function parseEvalSet(value: unknown): EvalSet {
  const { evalCases = [], creationTimestamp = 0, evalSetId, ...rest } = readJson(GIVEN_SET, value, "eval_set");
  assertEvalSetId(evalSetId);
  const cases = evalCases.map((evalCase, index) => parseEvalCase(evalCase, `eval_cases[${index}]`));
  return { ...rest, evalSetId, evalCases: cases, creationTimestamp };
}

/** The set with its own members in snake_case, the form of files and messages. */
export function toEvalSetJson(set: EvalSet): JsonObject {
  // The table describes an object.
  return writeValue(EVAL_SET, set) as JsonObject;
}

/** Throws `INVALID_FIELD` and `INVALID_IDENTIFIER`, naming the field. The value is changed in place. */
export function parseEvalCase(value: unknown, field = "eval_case"): EvalCase {
  const evalCase = readJson(EVAL_CASE, value, field);
  assertIdentifier(`${field}.evalId`, evalCase.evalId);
  const { sessionInput } = evalCase;
  // Sets of ADK leave the user empty.
  if (sessionInput !== undefined && (sessionInput.userId ?? "") === "")
    Object.assign(evalCase, { sessionInput: { ...sessionInput, userId: TEST_USER } });
  if ((evalCase.conversation === undefined) === (evalCase.conversationScenario === undefined))
    throw invalidField(field, "must have exactly one of conversation and conversationScenario");
  return evalCase;
}

/** Throws `INVALID_FIELD`, naming the field. The value is changed in place. */
export function parseEvalSetResult(value: unknown): EvalSetResult {
  const result = readJson(EVAL_SET_RESULT, value, "eval_set_result");
  const { evalSetResultId: id, evalCaseResults = [], creationTimestamp = 0 } = result;
  return {
    ...result,
    evalSetResultName: result.evalSetResultName ?? evalSetResultName(id),
    evalCaseResults,
    creationTimestamp,
  };
}
