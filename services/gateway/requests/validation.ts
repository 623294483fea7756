import { type FieldProblem, InvalidRequestError } from "../http/errors.ts";

/**
 * Checks requests against the route schemas. Only the keywords that routes use are known, and an unknown one fails at
 * start. Compared to a general validator this saves its load time and gives each problem a sentence a caller can act on.
 */
export function compileValidator({
  schema,
  httpPart,
}: {
  readonly schema: unknown;
  readonly httpPart?: string;
}): (data: unknown) => { readonly value: unknown } | { readonly error: Error } {
  const check = compileSchema(schema);
  const root = LOCATIONS[httpPart ?? "body"] ?? "body";
  const fromText = root !== "body";
  return (data) => {
    const value = fromText ? readTexts(data, schema) : data;
    const problems: FieldProblem[] = [];
    check(value, [root], problems);
    return problems.length === 0 ? { value } : { error: wrapForFramework(problems) };
  };
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

type Path = (string | number)[];
type Check = (value: unknown, path: Path, problems: FieldProblem[]) => void;

/** The part of JSON Schema that routes use. */
interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxItems?: number;
}

const KNOWN_KEYWORDS = new Set([
  ...["type", "properties", "required", "patternProperties", "additionalProperties", "items", "anyOf", "const", "enum"],
  ...["minimum", "maximum", "minLength", "maxItems", "description", "examples", "default", "title", "format", "$id"],
]);

// Enough to mend a request; a list without end would only let a caller make the server write it.
const MAX_PROBLEMS = 50;
const MAX_ECHO_LENGTH = 100;

function compileSchema(raw: unknown): Check {
  // Route schemas are TypeBox objects: JSON Schema by construction.
  const schema = raw as Schema;
  for (const keyword of Object.keys(schema)) {
    if (!keyword.startsWith("~") && !KNOWN_KEYWORDS.has(keyword))
      throw new TypeError(`Route schemas cannot use "${keyword}".`);
  }
  if (schema.anyOf !== undefined) return compileAnyOf(schema.anyOf);
  if (schema.const !== undefined) return compileOneOf([schema.const]);
  if (schema.enum !== undefined) return compileOneOf(schema.enum);
  switch (schema.type) {
    case "object":
      return compileObject(schema);
    case "array":
      return compileArray(schema);
    case "string":
      return compileString(schema);
    case "integer":
    case "number":
      return compileNumber(schema);
    case "boolean":
      return (value, path, problems) => {
        if (typeof value !== "boolean") report(problems, "bool_type", path, "Input should be true or false", value);
      };
    case "null":
      return (value, path, problems) => {
        if (value !== null) report(problems, "none_required", path, "Input should be null", value);
      };
    case undefined:
      return () => {};
    default:
      throw new TypeError(`Route schemas cannot use the type "${schema.type}".`);
  }
}

function compileObject({ properties = {}, required = [], patternProperties, additionalProperties }: Schema): Check {
  const checks = Object.entries(properties).map(([key, schema]) => [key, compileSchema(schema)] as const);
  const rest =
    Object.values(patternProperties ?? {})[0] ??
    (typeof additionalProperties === "object" ? additionalProperties : undefined);
  const checkRest = rest === undefined || Object.keys(rest).length === 0 ? undefined : compileSchema(rest);
  return (value, path, problems) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      report(problems, "dict_type", path, "Input should be an object", value);
      return;
    }
    // A JSON object: string keys, any values.
    const object = value as Readonly<Record<string, unknown>>;
    for (const key of required)
      if (object[key] === undefined) report(problems, "missing", [...path, key], "Field required");
    for (const [key, check] of checks)
      if (object[key] !== undefined) descend(check, object[key], { key, path, problems });
    if (checkRest === undefined) return;
    for (const key in object)
      if (!Object.hasOwn(properties, key)) descend(checkRest, object[key], { key, path, problems });
  };
}

function compileArray({ items, maxItems = Number.POSITIVE_INFINITY }: Schema): Check {
  const checkItem = items === undefined ? undefined : compileSchema(items);
  return (value, path, problems) => {
    if (!Array.isArray(value)) {
      report(problems, "list_type", path, "Input should be a list", value);
      return;
    }
    if (value.length > maxItems) report(problems, "too_long", path, `List should have at most ${maxItems} items`);
    if (checkItem === undefined) return;
    for (let index = 0; index < value.length && problems.length < MAX_PROBLEMS; index++) {
      descend(checkItem, value[index], { key: index, path, problems });
    }
  };
}

function compileString({ minLength = 0 }: Schema): Check {
  return (value, path, problems) => {
    if (typeof value !== "string") report(problems, "string_type", path, "Input should be a string", value);
    else if (value.length < minLength) report(problems, "string_too_short", path, "Input should not be empty", value);
  };
}

function compileNumber({ type, minimum = -Infinity, maximum = Infinity }: Schema): Check {
  return (value, path, problems) => {
    if (typeof value !== "number" || !Number.isFinite(value))
      report(problems, `${type === "integer" ? "int" : "float"}_type`, path, "Input should be a number", value);
    else if (type === "integer" && !Number.isSafeInteger(value))
      report(problems, "int_type", path, "Input should be a whole number", value);
    else if (value < minimum)
      report(problems, "greater_than_equal", path, `Input should be at least ${minimum}`, value);
    else if (value > maximum) report(problems, "less_than_equal", path, `Input should be at most ${maximum}`, value);
  };
}

function compileOneOf(allowed: readonly unknown[]): Check {
  const message = `Input should be ${allowed.map((entry) => JSON.stringify(entry)).join(" or ")}`;
  return (value, path, problems) => {
    if (!allowed.includes(value)) report(problems, "literal_error", path, message, value);
  };
}

/** The problems shown are those of the first branch that is not "null": the form a caller most likely meant. */
function compileAnyOf(branches: readonly Schema[]): Check {
  if (branches.every(({ const: only }) => only !== undefined))
    return compileOneOf(branches.map(({ const: only }) => only));
  const checks = [...branches].sort((a, b) => Number(a.type === "null") - Number(b.type === "null")).map(compileSchema);
  return (value, path, problems) => {
    let first: readonly FieldProblem[] | undefined;
    for (const check of checks) {
      const own: FieldProblem[] = [];
      check(value, path, own);
      if (own.length === 0) return;
      first ??= own;
    }
    problems.push(...(first ?? []).slice(0, MAX_PROBLEMS - problems.length));
  };
}

/** Paths are copied only into problems: one array serves the whole walk. */
function descend(check: Check, value: unknown, { key, path, problems }: Descent): void {
  path.push(key);
  check(value, path, problems);
  path.pop();
}

interface Descent {
  readonly key: string | number;
  readonly path: Path;
  readonly problems: FieldProblem[];
}

function report(problems: FieldProblem[], type: string, path: Path, msg: string, input?: unknown): void {
  if (problems.length >= MAX_PROBLEMS) return;
  problems.push({ type, loc: [...path], msg, ...(isShort(input) && { input }) });
}

function isShort(input: unknown): boolean {
  if (typeof input === "string") return input.length <= MAX_ECHO_LENGTH;
  return input === null || typeof input === "number" || typeof input === "boolean";
}

/** Query and path values are text; where the schema wants a number or a boolean, exactly its usual spellings are read. */
function readTexts(data: unknown, raw: unknown): unknown {
  // As in compileSchema; data is the framework's map of texts.
  const { properties } = raw as Schema;
  if (properties === undefined || typeof data !== "object" || data === null) return data;
  const texts = data as Readonly<Record<string, unknown>>;
  const read: Record<string, number | boolean> = {};
  for (const [key, { type }] of Object.entries(properties)) {
    const text = texts[key];
    if (typeof text !== "string") continue;
    if ((type === "integer" || type === "number") && /^-?\d{1,15}(?:\.\d+)?$/.test(text)) read[key] = Number(text);
    if (type === "boolean" && Object.hasOwn(BOOLEANS, text)) read[key] = BOOLEANS[text] === true;
  }
  return Object.keys(read).length === 0 ? data : { ...texts, ...read };
}

const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, false: false, 1: true, 0: false };
