import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";

/** The type of the values that a shape describes. No shape has this member: it exists for the compiler only. */
declare const VALUE: unique symbol;
const OPTIONAL = Symbol("optional member");
const RULES = Symbol("rules of reading");

/**
 * A description of JSON values. Its members are JSON Schema, so that it can be published as it is; what JSON Schema
 * cannot express of reading and writing is kept under symbols, which JSON leaves out. `shape-reader.ts` reads by it,
 * `shape-writer.ts` writes.
 */
export interface Shape<out Value = unknown> extends Keywords {
  readonly [VALUE]?: Value;
}

interface Keywords extends ShapeOptions {
  readonly type?: "object" | "array" | "string" | "number" | "integer" | "boolean" | "null";
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, Shape>>;
  readonly additionalProperties?: Shape | false;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
  readonly const?: unknown;
  readonly enum?: readonly string[];
  readonly [RULES]?: Rules;
}

/** Limits and descriptions that a builder takes. The last three are for settings of processes. */
export interface ShapeOptions {
  readonly description?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly additionalProperties?: Shape | false;
  /** The value may come from a file instead, and no message quotes it. */
  readonly secret?: boolean;
  /** Values of other settings that make this one required, although it has an empty default. */
  readonly neededBy?: Readonly<Record<string, readonly string[]>>;
  /** Settings that replace this one: it is not required if one of them is set. */
  readonly orElse?: readonly string[];
}

/** Rules that JSON Schema cannot express. */
export interface Rules {
  /** Reads a value in place of the shape's keywords, which then only document it. Undefined refuses the value. */
  readonly parse?: (value: unknown) => unknown;
  /** The value as it is written. */
  readonly write?: (value: unknown) => JsonValue;
  /** Other programs refuse this object with members that are not in its table; a reader may remove them. */
  readonly closed?: boolean;
  /** Checks the object as a whole, once each member is valid by itself. */
  readonly check?: (value: unknown) => CheckProblem | undefined;
  /** Why no other members are accepted, for the message about one. */
  readonly whyOnlyThese?: string | undefined;
  /** How the members are written. Readers take both spellings of every object. */
  readonly spelling?: "snake_case";
}

export interface CheckProblem {
  readonly message: string;
  /** The member at fault. */
  readonly field?: string | undefined;
}

/** A member that an object may lack. */
export interface OptionalShape<out Value = unknown> extends Shape<Value> {
  readonly [OPTIONAL]: true;
}

interface RequiredShape<out Value> extends Shape<Value> {
  readonly [OPTIONAL]?: never;
}

export interface ObjectShape<Members extends ShapeMembers = ShapeMembers> extends Shape<MembersOf<Members>> {
  readonly type: "object";
  readonly properties: Members;
}

export type ShapeMembers = Readonly<Record<string, Shape>>;

export type PartialOf<Members extends ShapeMembers> = {
  readonly [Name in keyof Members]: OptionalShape<Static<Members[Name]>>;
};

/** The type of the values that a shape describes. */
export type Static<Of extends Shape> = Of extends Shape<infer Value> ? Value : never;

type MembersOf<Members extends ShapeMembers> = Flat<
  {
    readonly [Name in keyof Members as Members[Name] extends OptionalShape ? never : Name]: Static<Members[Name]>;
  } & {
    readonly [Name in keyof Members as Members[Name] extends OptionalShape ? Name : never]?: Static<Members[Name]>;
  }
>;
type Flat<Type> = { [Name in keyof Type]: Type[Name] };

/** A shape for each member of an interface, optional where the member is; any other table does not compile. */
export type ShapesOf<Type> = {
  readonly [Name in keyof Type]-?: Partial<Pick<Type, Name>> extends Pick<Type, Name>
    ? OptionalShape<Exclude<Type[Name], undefined>>
    : RequiredShape<Type[Name]>;
};

/** The builders of shapes. */
export const Type = {
  Array: <Item>(items: Shape<Item>, options?: ShapeOptions): Shape<readonly Item[]> => ({
    type: "array",
    items,
    ...options,
  }),
  /** The same shape with a type that the shape does not check completely; the caller guarantees the rest. */
  As: <Value>(shape: Keywords): Shape<Value> => ({ ...shape }),
  Boolean: (options?: ShapeOptions): Shape<boolean> => ({ type: "boolean", ...options }),
  /** Values that a function reads. The schema documents them; `parse` returns undefined for a value that is refused. */
  Custom: <Value>(
    schema: Keywords,
    parse: (value: unknown) => Value | undefined,
    write?: (value: Value) => JsonValue,
  ): Shape<Value> => {
    // Only values that `parse` returned are written.
    const writeRead = write as ((value: unknown) => JsonValue) | undefined;
    return { ...schema, [RULES]: { parse, write: writeRead } };
  },
  Enum: <const Values extends readonly string[]>(values: Values, options?: ShapeOptions): Shape<Values[number]> => ({
    enum: values,
    ...options,
  }),
  Integer: (options?: ShapeOptions): Shape<number> => ({ type: "integer", ...options }),
  /** Any JSON value. */
  Json: (options?: ShapeOptions): Shape<JsonValue> => ({ ...options }),
  /** A JSON object whose keys belong to its author: its members are neither checked nor renamed. */
  JsonObject: (options?: ShapeOptions): Shape<JsonObject> => openObject(options),
  Literal: <const Value extends string | number | boolean>(value: Value, options?: ShapeOptions): Shape<Value> =>
    // The type of a literal is one of the three that JSON Schema has a word for.
    ({ type: typeof value as "string" | "number" | "boolean", const: value, ...options }),
  /** An object with keys of any name and values of one shape. */
  Map: <Value>(value: Shape<Value>, options?: ShapeOptions): Shape<Readonly<Record<string, Value>>> => ({
    type: "object",
    patternProperties: { "^.*$": value },
    ...options,
  }),
  Null: (options?: ShapeOptions): Shape<null> => ({ type: "null", ...options }),
  Number: (options?: ShapeOptions): Shape<number> => ({ type: "number", ...options }),
  Object: <Members extends ShapeMembers>(properties: Members, options?: ShapeOptions): ObjectShape<Members> =>
    objectShape(properties, options),
  /** The same for an interface whose members are not checked; the caller guarantees them. */
  OpenObject: <Value extends object>(options?: ShapeOptions): Shape<Value> => openObject(options),
  Optional: <Value>(of: Shape<Value>): OptionalShape<Value> => ({ ...of, [OPTIONAL]: true }),
  /** The same members, each of them optional. */
  Partial: partial,
  String: (options?: ShapeOptions): Shape<string> => ({ type: "string", ...options }),
  /** The table of an interface: every member of it, or this does not compile. */
  Table: <Value extends object>(members: ShapesOf<Value>, rules?: Rules, options?: ShapeOptions): TableShape<Value> =>
    withRules(objectShape(members, options), rules),
  Union: <const Shapes extends readonly Shape[]>(
    anyOf: Shapes,
    options?: ShapeOptions,
  ): Shape<Static<Shapes[number]>> => ({
    anyOf,
    ...options,
  }),
  Unknown: (options?: ShapeOptions): Shape => ({ ...options }),
};

export interface TableShape<Value extends object> extends Shape<Value> {
  readonly type: "object";
  readonly properties: ShapesOf<Value>;
}

export function rulesOf(shape: Shape): Rules | undefined {
  return shape[RULES];
}

/** Whether something is the shape of an object, for code that looks through exports. */
export function isObjectShape(value: unknown): value is ObjectShape {
  return isJsonObject(value) && value["type"] === "object" && isJsonObject(value["properties"]);
}

export function isOptional(shape: Shape): boolean {
  return OPTIONAL in shape;
}

/** The same shape with more rules. */
export function withRules<Of extends Shape>(shape: Of, rules: Rules | undefined): Of {
  return rules === undefined ? shape : { ...shape, [RULES]: { ...shape[RULES], ...rules } };
}

function partial<Members extends ShapeMembers>(members: Members): PartialOf<Members> {
  const entries = Object.entries(members).map(([name, of]) => [name, { ...of, [OPTIONAL]: true }]);
  // The members are the same.
  return Object.fromEntries(entries) as PartialOf<Members>;
}

function openObject(options: ShapeOptions | undefined) {
  return { type: "object", patternProperties: { "^.*$": {} }, ...options } as const;
}

function objectShape<Members extends object>(properties: Members, options: ShapeOptions | undefined) {
  // The members of an object shape are shapes; the interface of a table merely lacks an index signature.
  const members = Object.entries(properties as ShapeMembers);
  const required = members.flatMap(([name, member]) => (isOptional(member) ? [] : [name]));
  return { type: "object", required: required.length > 0 ? required : undefined, properties, ...options } as const;
}
