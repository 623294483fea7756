import { modelContent, userContent } from "#kit/events/content.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { isJsonObject } from "#kit/platform/json.ts";
import { readJson } from "#kit/schema/read-json.ts";
import { type Static, Type } from "#kit/schema/shape.ts";
import type { EvalCase, EvalSet, Invocation } from "../eval-set.ts";

const ROW = Type.Object({
  query: Type.String(),
  reference: Type.Optional(Type.String()),
  expectedToolUse: Type.Optional(
    Type.Array(Type.Object({ toolName: Type.String(), toolInput: Type.Optional(Type.JsonObject()) })),
  ),
  expectedIntermediateAgentResponses: Type.Optional(
    Type.Array(Type.Object({ author: Type.String(), text: Type.String() })),
  ),
});

const CASE = Type.Object({
  name: Type.String({ minLength: 1 }),
  data: Type.Array(ROW),
  initialSession: Type.Optional(
    Type.Object({
      state: Type.Optional(Type.JsonObject()),
      appName: Type.Optional(Type.String()),
      userId: Type.Optional(Type.String()),
    }),
  ),
});

/** Whether a file has one of the forms before evaluation sets: a list of cases, or of the rows of one case. */
export function isOldEvalSet(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/**
 * Converts a list of cases, or the rows of one case (`{query, expected_tool_use, reference}`), to a set. A row without
 * a reference expects no answer. Throws `INVALID_FIELD`, naming the field; the value is changed in place.
 */
export function parseOldEvalSet(value: readonly unknown[], evalSetId: string): EvalSet {
  const isRows = value.some((entry) => isJsonObject(entry) && "query" in entry);
  const evalCases = isRows
    ? [toCase(evalSetId, { name: evalSetId, data: readJson(Type.Array(ROW), value, "data") })]
    : readJson(Type.Array(CASE), value, "cases").map((each) => toCase(evalSetId, each));
  return { evalSetId, name: evalSetId, evalCases, creationTimestamp: 0 };
}

function toCase(evalSetId: string, { name, data, initialSession }: Static<typeof CASE>): EvalCase {
  const { state = {}, appName = evalSetId, userId = "" } = initialSession ?? {};
  return {
    evalId: name,
    conversation: data.map(toInvocation),
    sessionInput: initialSession && { appName, userId: userId === "" ? "user" : userId, state },
  };
}

function toInvocation(row: Static<typeof ROW>, index: number): Invocation {
  const { query, reference, expectedToolUse = [], expectedIntermediateAgentResponses: responses = [] } = row;
  const noArguments: JsonObject = {};
  return {
    invocationId: `turn-${index + 1}`,
    userContent: userContent(query),
    finalResponse: reference === undefined ? undefined : modelContent(reference),
    intermediateData: {
      toolUses: expectedToolUse.map(({ toolName, toolInput = noArguments }) => ({ name: toolName, args: toolInput })),
      toolResponses: [],
      intermediateResponses: responses.map(({ author, text }) => [author, [{ text }]] as const),
    },
  };
}
