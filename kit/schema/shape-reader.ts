import { isJsonObject } from "#kit/platform/json.ts";
import { type CheckProblem, isOptional, rulesOf, type Shape } from "./shape.ts";
import { snakeCase } from "./spelling.ts";

export type IssueKind =
  | ("type" | "missing" | "unknown-member")
  | ("too-short" | "pattern" | "minimum" | "maximum" | "too-many")
  | ("two-spellings" | "check");

/** One thing wrong with a value. Each caller makes a sentence of it for its own readers. */
export interface Issue {
  readonly kind: IssueKind;
  readonly path: readonly (string | number)[];
  /** The shape that the value should have; for an unknown member, the shape of the object that contains it. */
  readonly shape: Shape;
  /** The wrong value. */
  readonly value: unknown;
  /** The problem that a check of the whole object has found. */
  readonly problem?: CheckProblem;
}

export interface ReaderOptions {
  /** Whether members that are not in their table are removed from objects marked as closed. */
  readonly strip?: boolean;
  /** Whether a member that is given in both spellings is wrong. */
  readonly oneSpelling?: boolean;
  readonly maxIssues?: number;
}

export type ReadResult<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly issues: readonly Issue[]; readonly value: unknown };

interface Context extends ReaderOptions {
  /** Copied only into issues: one array serves the whole reading. */
  readonly path: (string | number)[];
  readonly issues: Issue[];
  readonly maxIssues: number;
}

/** Returns the value as it was read. What it returns for a wrong value has no meaning: an issue was added. */
type Read = (value: unknown, context: Context) => unknown;

/**
 * Reads a value by its shape and lists all that is wrong. Known members are renamed from snake_case to camelCase (if
 * both are given, the one in camelCase counts), those that are null are removed where they are optional, and unknown
 * members stay as they are. Parts of the value are changed in place, so no other code may use it. The value that is
 * returned is the one that was read.
 */
export function readValue<Value>(shape: Shape<Value>, value: unknown, options: ReaderOptions = {}): ReadResult<Value> {
  const issues: Issue[] = [];
  const { strip = false, oneSpelling = false, maxIssues = Number.POSITIVE_INFINITY } = options;
  const context: Context = { path: [], issues, strip, oneSpelling, maxIssues };
  const read = compile(shape)(value, context);
  // Without an issue each member has the type that its shape is of.
  return issues.length === 0 ? { ok: true, value: read as Value } : { ok: false, issues, value: read };
}

/**
 * Prepares the reader of a shape, which otherwise the first reading does. Throws for a shape that nothing can be read
 * by.
 */
export function prepareReader(shape: Shape): void {
  compile(shape);
}

const compiled = new WeakMap<Shape, Read>();

function compile(shape: Shape): Read {
  const known = compiled.get(shape);
  if (known !== undefined) return known;
  const read = compileShape(shape);
  compiled.set(shape, read);
  return read;
}

function compileShape(shape: Shape): Read {
  const check = rulesOf(shape)?.check;
  const read = compileUnchecked(shape);
  if (check === undefined) return read;
  return (value, context) => {
    const { issues, maxIssues } = context;
    const before = issues.length;
    const result = read(value, context);
    const problem = issues.length === before ? check(result) : undefined;
    if (problem !== undefined && before < maxIssues)
      issues.push({ kind: "check", path: [...context.path], shape, value: result, problem });
    return result;
  };
}

function compileUnchecked(shape: Shape): Read {
  const parse = rulesOf(shape)?.parse;
  if (parse !== undefined) return compileParse(shape, parse);
  if (shape.anyOf !== undefined) return compileAnyOf(shape, shape.anyOf);
  if (shape.const !== undefined) return compileOneOf(shape, [shape.const]);
  if (shape.enum !== undefined) return compileOneOf(shape, shape.enum);
  switch (shape.type) {
    case "object":
      return compileObject(shape);
    case "array":
      return compileArray(shape);
    case "string":
      return compileString(shape);
    case "integer":
    case "number":
      return compileNumber(shape);
    case "boolean":
      return compileTest(shape, (value) => typeof value === "boolean");
    case "null":
      return compileTest(shape, (value) => value === null);
    case undefined:
      return (value) => value;
    default:
      throw new TypeError(`Shapes cannot have the type "${shape.type satisfies never}".`);
  }
}

function compileParse(shape: Shape, parse: (value: unknown) => unknown): Read {
  return (value, context) => {
    const read = parse(value);
    if (read !== undefined) return read;
    report(context, "type", shape, value);
    return value;
  };
}

function compileTest(shape: Shape, test: (value: unknown) => boolean): Read {
  return (value, context) => {
    if (!test(value)) report(context, "type", shape, value);
    return value;
  };
}

function compileOneOf(shape: Shape, allowed: readonly unknown[]): Read {
  return compileTest(shape, (value) => allowed.includes(value));
}

function compileString(shape: Shape): Read {
  const { minLength = 0, pattern } = shape;
  const form = pattern === undefined ? undefined : new RegExp(pattern);
  return (value, context) => {
    if (typeof value !== "string") report(context, "type", shape, value);
    else if (value.length < minLength) report(context, "too-short", shape, value);
    else if (form?.test(value) === false) report(context, "pattern", shape, value);
    return value;
  };
}

function compileNumber(shape: Shape): Read {
  const { type, minimum = -Infinity, maximum = Infinity } = shape;
  return (value, context) => {
    if (typeof value !== "number" || !Number.isFinite(value)) report(context, "type", shape, value);
    else if (type === "integer" && !Number.isSafeInteger(value)) report(context, "type", shape, value);
    else if (value < minimum) report(context, "minimum", shape, value);
    else if (value > maximum) report(context, "maximum", shape, value);
    return value;
  };
}

function compileArray(shape: Shape): Read {
  const { items, maxItems = Number.POSITIVE_INFINITY } = shape;
  const readItem = items === undefined ? undefined : compile(items);
  return (value, context) => {
    if (!Array.isArray(value)) {
      report(context, "type", shape, value);
      return value;
    }
    if (value.length > maxItems) report(context, "too-many", shape, value);
    if (readItem === undefined) return value;
    const list: unknown[] = value;
    for (let index = 0; index < list.length && context.issues.length < context.maxIssues; index++) {
      const read = readAt(readItem, list[index], index, context);
      if (read !== list[index]) list[index] = read;
    }
    return list;
  };
}

interface Member {
  readonly name: string;
  readonly read: Read;
  /** Whether null is read as a value, which most shapes refuse, or counts as absent. */
  readonly ofNull: "read" | "absent";
}

function compileObject(shape: Shape): Read {
  const members = membersOf(shape);
  const { required = [], additionalProperties } = shape;
  const rest = Object.values(shape.patternProperties ?? {})[0] ?? additionalProperties;
  const readRest = rest === undefined || rest === false || isAnything(rest) ? undefined : compile(rest);
  const closed = rulesOf(shape)?.closed === true;
  const hasTable = shape.properties !== undefined;
  if (!hasTable && readRest === undefined) return compileTest(shape, isJsonObject);

  return (value, context) => {
    if (!isJsonObject(value)) {
      report(context, "type", shape, value);
      return value;
    }
    // The caller has passed on the value for good, so it may be changed in place.
    const given = value as Record<string, unknown>;
    let object = given;
    if (context.oneSpelling === true) reportSpellings(given, members, shape, context);
    for (const key in given) {
      const member = members.get(key);
      if (member !== undefined) {
        if (member.name !== key) {
          // A copy costs less than an object from which members were deleted.
          if (object === given) object = inCamelCase(given, members);
          if (given[member.name] !== undefined) continue;
        }
        readMember(object, member, context);
      } else if (readRest !== undefined) {
        const read = readAt(readRest, given[key], key, context);
        if (read !== given[key]) object[key] = read;
      } else if (rest === false) reportAt(context, "unknown-member", key, shape, given[key]);
      else if (closed && context.strip === true) delete object[key];
    }
    for (const name of required)
      if (object[name] === undefined) reportAt(context, "missing", name, shape.properties?.[name] ?? {}, undefined);
    return object;
  };
}

function membersOf({ properties = {} }: Shape): ReadonlyMap<string, Member> {
  const members = new Map<string, Member>();
  for (const [name, shape] of Object.entries(properties)) {
    const ofNull = isOptional(shape) && !takesNull(shape) ? "absent" : "read";
    const member: Member = { name, read: compile(shape), ofNull };
    const other = snakeCase(name);
    if (!Object.hasOwn(properties, other)) members.set(other, member);
    members.set(name, member);
  }
  return members;
}

function reportSpellings(
  given: Readonly<Record<string, unknown>>,
  members: ReadonlyMap<string, Member>,
  shape: Shape,
  context: Context,
): void {
  for (const key in given) {
    const name = members.get(key)?.name ?? key;
    if (name !== key && Object.hasOwn(given, name)) reportAt(context, "two-spellings", name, shape, given[key]);
  }
}

function inCamelCase(
  object: Readonly<Record<string, unknown>>,
  members: ReadonlyMap<string, Member>,
): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const key in object) {
    const name = members.get(key)?.name ?? key;
    if (name !== key && object[name] !== undefined) continue;
    if (key === "__proto__")
      Object.defineProperty(copy, key, { value: object[key], enumerable: true, writable: true, configurable: true });
    else copy[name] = object[key];
  }
  return copy;
}

function readMember(object: Record<string, unknown>, { name, read, ofNull }: Member, context: Context): void {
  const given = object[name];
  if (given === undefined || (given === null && ofNull === "absent")) {
    delete object[name];
    return;
  }
  const value = readAt(read, given, name, context);
  if (value !== given) object[name] = value;
}

function takesNull({ type, anyOf }: Shape): boolean {
  return type === "null" || anyOf?.some(takesNull) === true;
}

function isAnything(shape: Shape): boolean {
  return Object.keys(shape).length === 0;
}

/** The issues are those of the first branch that is not null: the form that a caller most likely meant. */
function compileAnyOf(shape: Shape, branches: readonly Shape[]): Read {
  if (branches.every(({ const: only }) => only !== undefined)) {
    const values = branches.map(({ const: only }) => only);
    return compileOneOf(shape, values);
  }
  const reads = branches.filter(({ type }) => type !== "null").map(compile);
  const [only] = reads;
  const nullable = reads.length < branches.length;
  if (only !== undefined && reads.length === 1 && nullable)
    return (value, context) => (value === null ? null : only(value, context));
  return (value, context) => {
    if (value === null && nullable) return null;
    let first: readonly Issue[] | undefined;
    for (const read of reads) {
      const issues: Issue[] = [];
      const result = read(value, { ...context, issues });
      if (issues.length === 0) return result;
      first ??= issues;
    }
    context.issues.push(...(first ?? []).slice(0, context.maxIssues - context.issues.length));
    return value;
  };
}

function readAt(read: Read, value: unknown, key: string | number, context: Context): unknown {
  context.path.push(key);
  const result = read(value, context);
  context.path.pop();
  return result;
}

function report({ issues, maxIssues, path }: Context, kind: IssueKind, shape: Shape, value: unknown): void {
  if (issues.length < maxIssues) issues.push({ kind, path: [...path], shape, value });
}

function reportAt(context: Context, kind: IssueKind, key: string, shape: Shape, value: unknown): void {
  context.path.push(key);
  report(context, kind, shape, value);
  context.path.pop();
}
