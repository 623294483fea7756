import { choicesOf } from "#kit/schema/read-json.ts";
import type { Shape } from "#kit/schema/shape.ts";
import { type Issue, prepareReader, type ReadResult, readValue } from "#kit/schema/shape-reader.ts";
import { valueOfText } from "#kit/schema/value-of-text.ts";
import { type FieldProblem, InvalidRequestError } from "../http/errors.ts";

/**
 * The framework's validator: reads each part of a request by its shape, in either spelling, and reports all problems,
 * each with a sentence that a caller can act on.
 */
export function compileValidator({
  schema,
  httpPart = "body",
}: {
  readonly schema: unknown;
  readonly httpPart?: string;
}): (data: unknown) => { readonly value: unknown } | { readonly error: Error } {
  // Routes are described by shapes.
  const shape = schema as Shape;
  prepareReader(shape);
  const root = LOCATIONS[httpPart] ?? "body";
  const fromText = root !== "body";
  return (data) => {
    const result = read(shape, fromText ? readTexts(data, shape) : data);
    if (result.ok) return { value: result.value };
    return { error: wrapForFramework(toProblems(result.issues, root)) };
  };
}

/** Reads a part of a body that the framework cannot check. Throws `INVALID_FIELD` with all problems. */
export function readBodyPart<Value>(shape: Shape<Value>, value: unknown): Value {
  const result = read(shape, value);
  if (!result.ok) throw new InvalidRequestError(toProblems(result.issues, "body"));
  return result.value;
}

// Enough to fix a request. A list without end would let a caller make the server write it.
const MAX_PROBLEMS = 50;
const MAX_ECHO_LENGTH = 100;

function read<Value>(shape: Shape<Value>, value: unknown): ReadResult<Value> {
  return readValue(shape, value, { strip: true, maxIssues: MAX_PROBLEMS });
}

/** The framework writes its own code and status onto a validator's error, which ours do not allow. */
function wrapForFramework(problems: readonly FieldProblem[]): Error {
  return new Error("invalid request", { cause: new InvalidRequestError(problems) });
}

const LOCATIONS: Readonly<Record<string, string>> = {
  body: "body",
  querystring: "query",
  params: "path",
  headers: "header",
};

/** Query and path values are text; if the shape has a number or a boolean, only its usual spellings are accepted. */
function readTexts(data: unknown, { properties = {} }: Shape): unknown {
  if (typeof data !== "object" || data === null) return data;
  const read: Record<string, unknown> = { ...data };
  for (const [name, shape] of Object.entries(properties)) {
    const text = read[name];
    if (typeof text === "string") read[name] = valueOfText(shape, text);
  }
  return read;
}

function toProblems(issues: readonly Issue[], root: string): readonly FieldProblem[] {
  return issues.map((issue) => {
    const { type, msg, echoes = true } = problemOf(issue);
    const isEchoed = echoes && isShort(issue.value);
    return { type, loc: [root, ...issue.path], msg, input: isEchoed ? issue.value : undefined };
  });
}

interface ProblemText {
  readonly type: string;
  readonly msg: string;
  /** Whether the value may be shown; it may by default. */
  readonly echoes?: boolean;
}

/** The types of problems are those of pydantic, which clients of ADK's servers read. */
function problemOf(issue: Issue): ProblemText {
  const { shape } = issue;
  switch (issue.kind) {
    case "missing":
      return { type: "missing", msg: "Field required", echoes: false };
    case "too-short":
      return { type: "string_too_short", msg: "Input should not be empty" };
    case "pattern":
      return { type: "string_pattern_mismatch", msg: `Input should match ${shape.pattern}` };
    case "minimum":
      return { type: "greater_than_equal", msg: `Input should be at least ${shape.minimum}` };
    case "maximum":
      return { type: "less_than_equal", msg: `Input should be at most ${shape.maximum}` };
    case "too-many":
      return { type: "too_long", msg: `List should have at most ${shape.maxItems} items`, echoes: false };
    case "unknown-member":
      return { type: "extra_forbidden", msg: "Extra inputs are not permitted" };
    case "two-spellings":
      return { type: "value_error", msg: "Field given in two spellings" };
    case "check":
      return { type: "value_error", msg: issue.problem?.message ?? "" };
    case "type":
      return typeProblem(issue);
    default:
      return issue.kind satisfies never;
  }
}

function typeProblem({ shape, value }: Issue): ProblemText {
  const choices = shape.const === undefined ? choicesOf(shape) : [shape.const];
  if (choices !== undefined) {
    const allowed = choices.map((entry) => JSON.stringify(entry)).join(" or ");
    return { type: "literal_error", msg: `Input should be ${allowed}` };
  }
  const isNumber = typeof value === "number" && Number.isFinite(value);
  switch (shape.type) {
    case "object":
      return { type: "dict_type", msg: "Input should be an object" };
    case "array":
      return { type: "list_type", msg: "Input should be a list" };
    case "integer":
      return { type: "int_type", msg: `Input should be a ${isNumber ? "whole " : ""}number` };
    case "number":
      return { type: "float_type", msg: "Input should be a number" };
    case "boolean":
      return { type: "bool_type", msg: "Input should be true or false" };
    case "null":
      return { type: "none_required", msg: "Input should be null" };
    default:
      return { type: "string_type", msg: "Input should be a string" };
  }
}

function isShort(input: unknown): boolean {
  if (typeof input === "string") return input.length <= MAX_ECHO_LENGTH;
  return input === null || typeof input === "number" || typeof input === "boolean";
}
