import type { JsonObject } from "#kit/platform/json.ts";
import { present } from "#kit/platform/members.ts";
import { isOptional, type Rules, type Shape, type ShapesOf, type TableShape, Type } from "#kit/schema/shape.ts";
import { snakeCase } from "#kit/schema/spelling.ts";

/** The kinds of fields of definitions. */
export const text = (description?: string): Shape<string> =>
  Type.Custom({ type: "string", minLength: 1, ...described(description) }, nonBlank);

export const flag = (description: string) => Type.Boolean({ description });

export const number = (description: string) => Type.Number({ description });

export const integer = (description: string, minimum: number) => Type.Integer({ minimum, description });

export const listOf = <Item>(description: string, item: Shape<Item>) => Type.Array(item, { description });

/** A map of any keys and values. */
export const freeMap = (description: string) => Type.As<JsonObject>({ type: "object", description });

export const textMap = (description: string) => {
  const additionalProperties = Type.Custom({ type: "string" }, nonBlank);
  return Type.As<Readonly<Record<string, string>>>({ type: "object", additionalProperties, description });
};

/** One of the values, in any case. */
export function oneOf<Value extends string>(values: readonly Value[], description?: string): Shape<Value> {
  const spellings = [...new Set([...values, ...values.map((value) => value.toLowerCase())])];
  return Type.Custom({ type: "string", enum: spellings, ...described(description) }, (given) =>
    typeof given === "string" ? values.find((value) => value.toUpperCase() === given.toUpperCase()) : undefined,
  );
}

/** A map with its own fields only. */
export function record<Config extends object>(
  description: string,
  fields: ShapesOf<Config>,
  rules?: Pick<Rules, "whyOnlyThese"> & {
    readonly check?: (config: Config) => ReturnType<NonNullable<Rules["check"]>>;
  },
): TableShape<Config> {
  // A check is called with the object that was read by these fields.
  return Type.Table<Config>(fields, rules as Rules, { additionalProperties: false, ...described(description) });
}

/** Exactly one of two fields is given. */
export function eitherOr<Config extends object>(first: keyof Config & string, second: keyof Config & string) {
  return (config: Config) => {
    const hasFirst = config[first] !== undefined;
    if (hasFirst !== (config[second] !== undefined)) return undefined;
    const message = hasFirst ? `Give either "${first}" or "${second}", not both.` : `Give "${first}" or "${second}".`;
    return { message };
  };
}

/** Describes in words the values that the shape accepts. */
export function wordsOf(shape: Shape): string {
  if (shape.anyOf !== undefined) return [...new Set(shape.anyOf.map(wordsOf))].join(" or ");
  switch (shape.type) {
    case "string":
      return choicesOf(shape)?.join(" or ") ?? "text";
    case "boolean":
      return "true or false";
    case "integer":
      return `an integer of ${shape.minimum} or more`;
    case "array":
      return "a list";
    case "object":
      if (shape.properties !== undefined) return "a map of fields";
      return shape.additionalProperties === undefined ? "a map" : "a map of texts";
    default:
      return "a number";
  }
}

/** The values of `oneOf`, without their spellings in lower case. */
export function choicesOf({ enum: values }: Shape): readonly string[] | undefined {
  return values?.filter(
    (value, index) => values.findIndex((one) => one.toLowerCase() === value.toLowerCase()) === index,
  );
}

/** JSON Schema of the values of a shape. Each field of a map may also be written in snake_case. */
export function publishedSchema(shape: Shape): JsonObject {
  const { type, properties, items, description } = shape;
  if (items !== undefined) return { type: "array", items: publishedSchema(items), ...described(description) };
  // Shapes are JSON apart from their symbols, which JSON leaves out.
  if (properties === undefined) return JSON.parse(JSON.stringify(shape));
  const published: Record<string, JsonObject> = {};
  const conditions: JsonObject[] = [];
  for (const [name, field] of Object.entries(properties)) {
    const other = snakeCase(name);
    published[name] = publishedSchema(field);
    published[other] = published[name];
    if (!isOptional(field))
      conditions.push(other === name ? { required: [name] } : { oneOf: [{ required: [name] }, { required: [other] }] });
  }
  return present({
    type: type ?? "object",
    properties: published,
    additionalProperties: false,
    allOf: conditions.length > 0 ? conditions : undefined,
    ...described(description),
  });
}

function described(description: string | undefined): { readonly description?: string } {
  return description === undefined || description === "" ? {} : { description };
}

function nonBlank(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}
