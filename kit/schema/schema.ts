import type * as TypeBoxSchema from "typebox/schema";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { boundedSchema } from "./bounded-schema.ts";
import type { StepBudget } from "./linear-pattern.ts";
import { convertOpenApiSchemaToJsonSchema, isOpenApiSchema } from "./open-api-types.ts";
import { withForeignPatterns, withOwnPatterns } from "./schema-patterns.ts";

/** A zod 4 schema, recognised by its shape: the kit never loads zod itself. */
export interface ZodSchema {
  readonly _zod: { readonly output: unknown; readonly optin?: string | undefined };
  safeParse(value: unknown): ZodResult;
  toJSONSchema(options?: { readonly io?: "input" | "output" }): unknown;
}

type ZodResult =
  | { readonly success: true; readonly data: unknown }
  | { readonly success: false; readonly error: { readonly issues: readonly ZodIssue[] } };

interface ZodIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** The fields of a zod object without `z.object(…)` around them. */
export type ZodShape = Readonly<Record<string, ZodSchema>>;

/**
 * A description of values: a zod schema or its shape, a TypeBox schema, plain JSON Schema, the Gemini API's form of it, or a
 * `Schema`.
 */
export type JsonSchemaSource = ZodSchema | object;

export type SchemaCheck =
  /** `value` is the schema's output, with defaults and transformations applied. */
  | { readonly ok: true; readonly value: unknown }
  /** Each problem names its field. */
  | { readonly ok: false; readonly problems: readonly string[] };

/** A description of values that is sent to models and used for checks. */
export interface Schema {
  readonly jsonSchema: JsonObject;
  /** A promise only if the checker has to be loaded first. */
  check(value: unknown): SchemaCheck | Promise<SchemaCheck>;
}

/**
 * Loads the checker for JSON Schema, which otherwise the first check does: some hundred modules, during which the
 * process does nothing else. For processes that may have active runs by then.
 */
export async function loadSchemaChecker(): Promise<void> {
  await import("typebox/schema");
}

/**
 * Who wrote a JSON Schema. An agent's code may use all of JavaScript's patterns, and references of any form. The
 * patterns of others (servers, users, definitions) are matched in linear time, or are annotations, and their references
 * are written out as far as `boundedSchema` allows.
 */
export interface SchemaOrigin {
  readonly isOwn: boolean;
}

/** Throws `INVALID_FIELD` for a value that is not a schema. */
export function toSchema(source: JsonSchemaSource, { isOwn }: SchemaOrigin = { isOwn: false }): Schema {
  if (typeof source === "object" && isSchema(source)) return source;
  if (typeof source === "object" && isZod(source)) return zodSchema(source);
  if (isZodShape(source)) return zodShape(source);
  if (isJsonObject(source))
    return jsonSchema(isOpenApiSchema(source) ? convertOpenApiSchemaToJsonSchema(source) : source, isOwn);
  throw new PlatformError("INVALID_FIELD", "A schema must be a zod schema, a TypeBox schema or a JSON Schema object.");
}

function isSchema(source: JsonSchemaSource): source is Schema {
  return "jsonSchema" in source && "check" in source && typeof source.check === "function";
}

function isZod(source: JsonSchemaSource): source is ZodSchema {
  return "_zod" in source && "safeParse" in source && "toJSONSchema" in source;
}

/** Throws `INVALID_FIELD` if only some fields are zod schemas, which would be neither a shape nor JSON Schema. */
function isZodShape(source: JsonSchemaSource): source is ZodShape {
  const fields: readonly (readonly [string, unknown])[] = Object.entries(source);
  const other = fields.find(([, field]) => !(isJsonObject(field) && isZod(field)));
  if (other === undefined) return fields.length > 0;
  if (!fields.some(([, field]) => isJsonObject(field) && "safeParse" in field)) return false;
  throw new PlatformError(
    "INVALID_FIELD",
    `The fields of a shape must be schemas of zod 4, and "${other[0]}" is not: write z.object({ … }) with them.`,
  );
}

/** Like `z.object(shape)`: members that the shape does not name are left out. */
function zodShape(shape: ZodShape): Schema {
  const fields = Object.entries(shape).map(([name, field]) => ({ name, field, schema: zodSchema(field) }));
  return {
    jsonSchema: {
      type: "object",
      properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema.jsonSchema])),
      required: fields.filter(({ field }) => field._zod.optin === undefined).map(({ name }) => name),
    },
    check: (value) => {
      if (!isJsonObject(value)) return { ok: false, problems: ["must be an object"] };
      const results = fields.map(({ name, field }) => ({ name, result: field.safeParse(value[name]) }));
      const problems = results.flatMap(({ name, result }) =>
        result.success
          ? []
          : result.error.issues.map(({ path, message }) => problem([name, ...path.map(String)].join("."), message)),
      );
      if (problems.length > 0) return { ok: false, problems };
      const read = results.flatMap(({ name, result }) =>
        result.success && result.data !== undefined ? [[name, result.data] as const] : [],
      );
      return { ok: true, value: Object.fromEntries(read) };
    },
  };
}

function zodSchema(source: ZodSchema): Schema {
  return {
    jsonSchema: withoutDialect(source.toJSONSchema({ io: "input" })),
    check: (value) => {
      const result = source.safeParse(value);
      if (result.success) return { ok: true, value: result.data };
      return {
        ok: false,
        problems: result.error.issues.map(({ path, message }) => problem(path.map(String).join("."), message)),
      };
    },
  };
}

/** Steps of all patterns in one check: some 100 ms. */
const MAX_PATTERN_STEPS = 2_000_000;
const TOO_LONG = "the text is too long for the patterns of the schema";

function jsonSchema(source: JsonObject, isOwn: boolean): Schema {
  // TypeBox keeps its own marks in non-enumerable keys and symbols; JSON has neither.
  const plain: JsonObject = JSON.parse(JSON.stringify(source));
  const budget: StepBudget = { left: MAX_PATTERN_STEPS };
  const compiled = isOwn ? withOwnPatterns(plain, budget) : withForeignPatterns(boundedSchema(plain).schema, budget);
  let validator: TypeBoxSchema.Validator | undefined;
  const load = async (): Promise<TypeBoxSchema.Validator> => {
    const { Compile } = await import("typebox/schema");
    try {
      validator ??= Compile(compiled);
    } catch (error) {
      if (isOwn) throw error;
      // Such as thousands of choices. Nobody here can correct the schema, and its author checks the value as well.
      validator = Compile({});
    }
    return validator;
  };
  const check = (loaded: TypeBoxSchema.Validator, value: unknown): SchemaCheck => {
    budget.left = MAX_PATTERN_STEPS;
    const checked = checkWith(loaded, value);
    if (budget.left >= 0) return checked;
    // What a pattern of others would have refused is unknown, and accepted as what a pattern cannot refuse.
    return isOwn ? { ok: false, problems: [TOO_LONG] } : { ok: true, value };
  };
  return {
    jsonSchema: withoutDialect(plain),
    check: (value) =>
      validator === undefined ? load().then((loaded) => check(loaded, value)) : check(validator, value),
  };
}

function checkWith(validator: TypeBoxSchema.Validator, value: unknown): SchemaCheck {
  if (validator.Check(value)) return { ok: true, value };
  const [, errors] = validator.Errors(value);
  return { ok: false, problems: errors.map((error) => problem(fieldOf(error.instancePath), error.message)) };
}

function withoutDialect(schema: unknown): JsonObject {
  if (!isJsonObject(schema))
    throw new PlatformError(
      "INVALID_FIELD",
      "The schema has no JSON Schema form of type object: give the schema of an object.",
    );
  const { $schema: _, ...rest } = schema;
  return rest;
}

function fieldOf(instancePath: string): string {
  return instancePath.slice(1).replaceAll("/", ".");
}

function problem(field: string, message: string): string {
  return field === "" ? message : `${field}: ${message}`;
}
