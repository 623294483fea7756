import { PlatformError } from "#kit/errors/platform-error.ts";
import type { JsonValue } from "#kit/platform/json.ts";
import type { Shape } from "./shape.ts";
import { type Issue, readValue } from "./shape-reader.ts";

/** The value of a JSON text. Throws `MALFORMED_JSON`. */
export function parseJson(text: string, what: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new PlatformError("MALFORMED_JSON", `${what} is not valid JSON.`, { cause: error });
  }
}

/**
 * Reads a value in place, so no other code may use it. `path` is its position in a larger value. Throws
 * `INVALID_FIELD`, which names the first wrong member, such as `content.parts[0].text`.
 */
export function readJson<Value>(shape: Shape<Value>, value: unknown, path = ""): Value {
  const result = readValue(shape, value, { maxIssues: 1 });
  if (result.ok) return result.value;
  const [issue] = result.issues;
  if (issue === undefined) throw new TypeError("A refused value has no issue.");
  throw invalidField(fieldPath(issue.path, path) || "the value", issueText(issue));
}

export function invalidField(field: string, problem: string): PlatformError {
  return new PlatformError("INVALID_FIELD", `${field} ${problem}.`, { details: { field } });
}

/** `content.parts[0].text` */
export function fieldPath(path: readonly (string | number)[], root = ""): string {
  let text = root;
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else text += text === "" ? step : `.${step}`;
  }
  return text;
}

/** Describes an issue as the continuation of a sentence that begins with the field's name. */
export function issueText({ kind, path, shape, value, problem }: Issue): string {
  switch (kind) {
    case "missing":
      return "is missing";
    case "unknown-member":
      return "is not a known member";
    case "two-spellings":
      return "is given in two spellings: keep one";
    case "check":
      return `is wrong: ${problem?.message ?? ""}`;
    case "too-short":
      return value === "" ? "is empty" : `must have at least ${shape.minLength} characters`;
    case "too-many":
      return `must have at most ${shape.maxItems} entries`;
    case "pattern":
      return `must match ${shape.pattern}`;
    default:
      return value === null && typeof path.at(-1) === "string" ? "is missing" : `must be ${expectedText(shape)}`;
  }
}

/** The values that a shape accepts, in words. */
export function expectedText(shape: Shape): string {
  const { type, minimum, maximum } = shape;
  const choices = choicesOf(shape);
  if (choices !== undefined) return listText(choices);
  if (shape.anyOf !== undefined) return shape.anyOf.map(expectedText).join(" or ");
  switch (type) {
    case "object":
      return "an object";
    case "array":
      return "a list";
    case "integer":
      return `a whole number${rangeText(minimum, maximum)}`;
    case "number":
      return `a number${rangeText(minimum, maximum)}`;
    case "null":
      return "null";
    case undefined:
      return "another value";
    default:
      return `a ${type}`;
  }
}

/** The values of a closed set of texts; undefined for any other shape. */
export function choicesOf({ enum: values, anyOf }: Shape): readonly string[] | undefined {
  if (values !== undefined) return values;
  return anyOf?.every(({ const: only }) => only !== undefined) === true
    ? anyOf.map(({ const: only }) => String(only))
    : undefined;
}

/** `a, b or c` */
export function listText(entries: readonly string[]): string {
  return entries.length < 2 ? entries.join("") : `${entries.slice(0, -1).join(", ")} or ${entries.at(-1)}`;
}

function rangeText(minimum: number | undefined, maximum: number | undefined): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` of at least ${minimum}`;
  return maximum === undefined ? "" : ` of at most ${maximum}`;
}
