import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { snakeCase } from "#kit/schema/spelling.ts";
import { InvalidRequestError } from "../http/errors.ts";

/** The name of the case that a session is added as. */
export interface AddSessionToEvalSetRequest {
  readonly evalId: string;
  readonly sessionId: string;
  readonly userId: string;
}

/** Reads `evalId` or `eval_id`, and so on for all three. */
export function parseAddSession(body: unknown): AddSessionToEvalSetRequest {
  const object = objectOf(body, ["body"]);
  const texts = { evalId: "", sessionId: "", userId: "" };
  const problems = [];
  // The keys of the literal above.
  for (const name of Object.keys(texts) as (keyof AddSessionToEvalSetRequest)[]) {
    const value = memberOf(object, name);
    if (typeof value === "string" && value !== "") texts[name] = value;
    else problems.push(problemOf(value, ["body", name]));
  }
  if (problems.length > 0) throw new InvalidRequestError(problems);
  return texts;
}

/** The set in a body of the form `{"eval_set": {…}}`. */
export function evalSetOf(body: unknown): JsonObject {
  return objectOf(memberOf(objectOf(body, ["body"]), "evalSet"), ["body", "evalSet"]);
}

function memberOf(object: JsonObject, name: string): JsonValue | undefined {
  return object[name] ?? object[snakeCase(name)];
}

function objectOf(value: unknown, loc: readonly string[]): JsonObject {
  if (isJsonObject(value)) return value;
  const problem = { type: value === undefined ? "missing" : "dict_type", loc, msg: "Field required: an object" };
  throw new InvalidRequestError([problem]);
}

function problemOf(value: unknown, loc: readonly string[]) {
  if (value === undefined || value === null) return { type: "missing", loc, msg: "Field required" };
  return { type: "string_type", loc, msg: "Input should be a string that is not empty" };
}
