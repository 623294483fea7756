import { PlatformError } from "../errors/platform-error.ts";
import { assertIdentifier } from "../platform/identifiers.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../platform/json.ts";
import { assertEvalSetId } from "./eval-ids.ts";
import { type EvalSetResult, evalSetResultName } from "./eval-result.ts";
import type { EvalCase, EvalSet } from "./eval-set.ts";

/**
 * Converts evaluation data from and to JSON. Every known member is accepted in camelCase and snake_case; null counts as
 * absent; unknown members, and everything inside arguments, states and similar values, stay unchanged.
 */

/** Throws `INVALID_FIELD` and `INVALID_IDENTIFIER`, naming the field. */
export function parseEvalSet(value: JsonValue): EvalSet {
  const set = objectOf(renameMembers(value, EVAL_SET), "eval_set");
  const { evalCases = [], creationTimestamp = 0 } = set;
  assertEvalSetId(set["evalSetId"]);
  if (!Array.isArray(evalCases)) throw invalid("eval_cases", "must be a list");
  if (typeof creationTimestamp !== "number") throw invalid("creation_timestamp", "must be a number");
  const cases = evalCases.map((evalCase: JsonValue, index) => parseEvalCase(evalCase, `eval_cases[${index}]`));
  // The id, cases and time were checked; other members are optional and unchanged.
  return { ...set, evalCases: cases, creationTimestamp } as unknown as EvalSet;
}

/** The set with its own members in snake_case, the form of files and messages. */
export function toEvalSetJson(set: EvalSet): JsonObject {
  const { evalSetId, name, description, evalCases, creationTimestamp, ...rest } = set;
  const json = {
    eval_set_id: evalSetId,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    eval_cases: evalCases,
    creation_timestamp: creationTimestamp,
    ...rest,
  };
  // Evaluation data contains JSON values only; the interfaces merely lack an index signature.
  return json as unknown as JsonObject;
}

/** Throws `INVALID_FIELD` and `INVALID_IDENTIFIER`, naming the field. */
export function parseEvalCase(value: JsonValue, field = "eval_case"): EvalCase {
  const evalCase = objectOf(renameMembers(value, EVAL_CASE), field);
  const { conversation, conversationScenario } = evalCase;
  assertIdentifier(`${field}.evalId`, evalCase["evalId"]);
  if ((conversation === undefined) === (conversationScenario === undefined)) {
    throw invalid(field, "must have exactly one of conversation and conversationScenario");
  }
  if (conversation === undefined) objectOf(conversationScenario, `${field}.conversationScenario`);
  else if (!Array.isArray(conversation)) throw invalid(`${field}.conversation`, "must be a list");
  else conversation.forEach((turn: JsonValue, index) => assertInvocation(turn, `${field}.conversation[${index}]`));
  // The members that code relies on were checked; the others are optional and unchanged.
  return evalCase as unknown as EvalCase;
}

/** Throws `INVALID_FIELD`, naming the field. */
export function parseEvalSetResult(value: JsonValue): EvalSetResult {
  const result = objectOf(renameMembers(value, EVAL_SET_RESULT), "eval_set_result");
  const { evalSetResultId, evalCaseResults = [], creationTimestamp = 0 } = result;
  if (typeof evalSetResultId !== "string" || evalSetResultId === "")
    throw invalid("evalSetResultId", "must be a non-empty string");
  if (!Array.isArray(evalCaseResults)) throw invalid("evalCaseResults", "must be a list");
  evalCaseResults.forEach((each: JsonValue, index) => objectOf(each, `evalCaseResults[${index}]`));
  const name = result["evalSetResultName"] ?? evalSetResultName(evalSetResultId);
  // The members that code relies on were checked; the others are unchanged.
  return { ...result, evalSetResultName: name, evalCaseResults, creationTimestamp } as unknown as EvalSetResult;
}

function assertInvocation(turn: JsonValue, field: string): void {
  objectOf(objectOf(turn, field)["userContent"], `${field}.userContent`);
}

/**
 * Known members of an object: null for a member whose value is not read further. A list has the shape of its entries.
 */
interface Shape {
  readonly [member: string]: Shape | null;
}

const BLOB: Shape = { mimeType: null, data: null, displayName: null };
const FILE: Shape = { fileUri: null, mimeType: null, displayName: null };
const FUNCTION_CALL: Shape = { partialArgs: null, willContinue: null };
const FUNCTION_RESPONSE: Shape = { willContinue: null, parts: { inlineData: BLOB, fileData: FILE } };
const PART: Shape = {
  thoughtSignature: null,
  inlineData: BLOB,
  fileData: FILE,
  functionCall: FUNCTION_CALL,
  functionResponse: FUNCTION_RESPONSE,
  executableCode: null,
  codeExecutionResult: null,
  videoMetadata: null,
  mediaResolution: null,
};
const CONTENT: Shape = { role: null, parts: PART };
const RUBRIC: Shape = { rubricId: null, rubricContent: { textProperty: null } };
const INVOCATION: Shape = {
  invocationId: null,
  userContent: CONTENT,
  finalResponse: CONTENT,
  intermediateData: {
    toolUses: FUNCTION_CALL,
    toolResponses: FUNCTION_RESPONSE,
    intermediateResponses: PART,
    invocationEvents: { content: CONTENT, groundingMetadata: null, usageMetadata: null, modelVersion: null },
  },
  creationTimestamp: null,
  rubrics: RUBRIC,
  appDetails: { agentDetails: null },
  inferenceCallCount: null,
};
const EVAL_CASE: Shape = {
  evalId: null,
  conversation: INVOCATION,
  conversationScenario: { startingPrompt: null, conversationPlan: null, userPersona: null },
  sessionInput: { appName: null, userId: null, sessionId: null, state: null },
  creationTimestamp: null,
  rubrics: RUBRIC,
  finalSessionState: null,
};
const EVAL_SET: Shape = {
  evalSetId: null,
  name: null,
  description: null,
  evalCases: EVAL_CASE,
  creationTimestamp: null,
};
const METRIC: Shape = {
  metricName: null,
  threshold: null,
  criterion: null,
  customFunctionPath: null,
  score: null,
  evalStatus: null,
  details: { rubricScores: { rubricId: null } },
};
const EVAL_SET_RESULT: Shape = {
  evalSetResultId: null,
  evalSetResultName: null,
  evalSetId: null,
  creationTimestamp: null,
  evalCaseResults: {
    evalSetFile: null,
    evalSetId: null,
    evalId: null,
    finalEvalStatus: null,
    evalMetricResults: METRIC,
    overallEvalMetricResults: METRIC,
    evalMetricResultPerInvocation: {
      actualInvocation: INVOCATION,
      expectedInvocation: INVOCATION,
      evalMetricResults: METRIC,
    },
    sessionId: null,
    sessionDetails: null,
    userId: null,
  },
};

function renameMembers(value: JsonValue, shape: Shape): JsonValue {
  if (Array.isArray(value)) return value.map((entry: JsonValue) => renameMembers(entry, shape));
  if (!isJsonObject(value)) return value;
  const members: [string, JsonValue][] = [];
  for (const [key, member] of Object.entries(value)) {
    const name = nameIn(shape, key);
    const memberShape = shape[name];
    if (!Object.hasOwn(shape, name)) members.push([key, member]);
    else if (member !== null && member !== undefined)
      members.push([name, memberShape ? renameMembers(member, memberShape) : member]);
  }
  return Object.fromEntries(members);
}

function nameIn(shape: Shape, key: string): string {
  if (Object.hasOwn(shape, key)) return key;
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function objectOf(value: JsonValue | undefined, field: string): JsonObject {
  if (!isJsonObject(value)) throw invalid(field, "must be an object");
  return value;
}

function invalid(field: string, problem: string): PlatformError {
  return new PlatformError("INVALID_FIELD", `${field} ${problem}.`, { details: { field } });
}
