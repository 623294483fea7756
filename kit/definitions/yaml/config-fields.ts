import type { JsonObject } from "#kit/platform/json.ts";
import { snakeCase } from "#kit/schema/spelling.ts";
import type { ConfigField, ConfigFields, Reading } from "./config-field.ts";
import { type ConfigNode, describeNode, toJsonObject } from "./config-node.ts";
import { readFields } from "./read-fields.ts";

/** The kinds of fields of definitions. */
export function text(description: string): ConfigField<string> {
  return {
    schema: { type: "string", minLength: 1, description },
    read: (node, reading) => {
      if (node.kind === "scalar" && typeof node.value === "string" && node.value.trim() !== "") return node.value;
      return expected("text", node, reading);
    },
  };
}

export function flag(description: string): ConfigField<boolean> {
  return {
    schema: { type: "boolean", description },
    read: (node, reading) => {
      if (node.kind === "scalar" && typeof node.value === "boolean") return node.value;
      return expected("true or false", node, reading);
    },
  };
}

export function number(description: string): ConfigField<number> {
  return {
    schema: { type: "number", description },
    read: (node, reading) => {
      if (node.kind === "scalar" && typeof node.value === "number") return node.value;
      return expected("a number", node, reading);
    },
  };
}

export function integer(description: string, minimum: number): ConfigField<number> {
  return {
    schema: { type: "integer", minimum, description },
    read: (node, reading) => {
      const value = node.kind === "scalar" ? node.value : undefined;
      if (typeof value === "number" && Number.isSafeInteger(value) && value >= minimum) return value;
      return expected(`an integer of ${minimum} or more`, node, reading);
    },
  };
}

/** One of the values, in any case. */
export function oneOf<Value extends string>(description: string, values: readonly Value[]): ConfigField<Value> {
  return {
    schema: {
      type: "string",
      enum: [...new Set([...values, ...values.map((value) => value.toLowerCase())])],
      description,
    },
    read: (node, reading) => {
      const given = node.kind === "scalar" && typeof node.value === "string" ? node.value.toUpperCase() : undefined;
      const value = values.find((option) => option.toUpperCase() === given);
      return value ?? expected(values.join(" or "), node, reading);
    },
  };
}

export function listOf<Item>(description: string, item: ConfigField<Item>): ConfigField<readonly Item[]> {
  return {
    schema: { type: "array", items: item.schema, description },
    read: (node, reading) => {
      if (node.kind !== "list") return expected("a list", node, reading);
      return node.items.map((entry) => item.read(entry, reading)).filter((value) => value !== undefined);
    },
  };
}

/**
 * A map with its own fields; `check` checks it as a whole if each field is valid by itself. `whyOnlyThese` is added to
 * the problem of an unknown field.
 */
export function record<Config extends object>(
  description: string,
  fields: ConfigFields<Config>,
  check?: (config: Config) => string | undefined,
  whyOnlyThese?: string,
): ConfigField<Config> {
  return {
    schema: { ...fieldsSchema(fields), description },
    read: (node, reading) => {
      const before = reading.problems.count;
      const config = readFields(node, fields, reading, whyOnlyThese);
      if (config === undefined || reading.problems.count > before) return config;
      const problem = check?.(config);
      if (problem === undefined) return config;
      reading.problems.add(problem, node.at);
      return undefined;
    },
  };
}

/** A map of any keys and values. */
export function freeMap(description: string): ConfigField<JsonObject> {
  return {
    schema: { type: "object", description },
    read: (node, reading) => (node.kind === "map" ? toJsonObject(node) : expected("a map", node, reading)),
  };
}

export function textMap(description: string): ConfigField<Readonly<Record<string, string>>> {
  return {
    schema: { type: "object", additionalProperties: { type: "string" }, description },
    read: (node, reading) => {
      if (node.kind !== "map") return expected("a map of texts", node, reading);
      const item = text("");
      return Object.fromEntries(node.entries.map(({ key, value }) => [key, item.read(value, reading) ?? ""]));
    },
  };
}

export function required<Value>(field: ConfigField<Value>): ConfigField<Value> {
  return { ...field, required: true };
}

/** JSON Schema of a map with these fields. Each may also be written in snake_case. */
export function fieldsSchema<Config>(fields: ConfigFields<Config>): JsonObject {
  const table = Object.entries<ConfigField<unknown>>(fields);
  const properties: Record<string, JsonObject> = {};
  const conditions: JsonObject[] = [];
  for (const [name, { schema, required }] of table) {
    const other = snakeCase(name);
    properties[name] = schema;
    if (other !== name) properties[other] = schema;
    if (required === true)
      conditions.push(other === name ? { required: [name] } : { oneOf: [{ required: [name] }, { required: [other] }] });
  }
  return {
    type: "object",
    properties,
    additionalProperties: false,
    ...(conditions.length > 0 && { allOf: conditions }),
  };
}

function expected(what: string, node: ConfigNode, reading: Reading): undefined {
  reading.problems.add(`Expected ${what}, found ${describeNode(node)}.`, node.at);
  return undefined;
}
