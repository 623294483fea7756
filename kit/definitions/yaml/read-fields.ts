import { camelCase } from "#kit/schema/spelling.ts";
import type { ConfigField, ConfigFields, Reading } from "./config-field.ts";
import { type ConfigEntry, type ConfigNode, describeNode, type Position } from "./config-node.ts";
import { suggestion } from "./suggest.ts";

/**
 * Reads a map by its table of fields, in camelCase or snake_case. Problems are added to the reading; the returned value
 * is complete only if there is none. Undefined for a value that is no map.
 */
export function readFields<Config extends object>(
  node: ConfigNode,
  fields: ConfigFields<Config>,
  reading: Reading,
  whyOnlyThese?: string,
): Config | undefined {
  if (node.kind !== "map") {
    reading.problems.add(`Expected a map of fields, found ${describeNode(node)}.`, node.at);
    return undefined;
  }
  const table = new Map<string, ConfigField<unknown>>(Object.entries(fields));
  const values = new Map<string, unknown>();
  const places = new Map<string, Position>([["", node.at]]);
  for (const entry of node.entries) {
    const name = fieldName(entry, table, reading, whyOnlyThese);
    if (name === undefined) continue;
    if (places.has(name)) {
      reading.problems.add(`"${name}" is given in two spellings: keep one.`, entry.at);
      continue;
    }
    places.set(name, entry.at);
    const value = isAbsent(entry) ? undefined : table.get(name)?.read(entry.value, reading);
    if (value !== undefined) values.set(name, value);
    else if (isAbsent(entry) && table.get(name)?.required === true)
      reading.problems.add(`"${name}" is empty.`, entry.at);
  }
  for (const [name, { required }] of table)
    if (required === true && !places.has(name)) reading.problems.add(`"${name}" is missing.`, node.at);
  // Each value was read by the field of its name; the reading's problems include missing fields.
  const config = Object.fromEntries(values) as Config;
  reading.note(config, places);
  return config;
}

/** A field without a value counts as absent. */
function isAbsent({ value }: ConfigEntry): boolean {
  return value.kind === "scalar" && value.value === null;
}

function fieldName(
  { key, at }: ConfigEntry,
  table: ReadonlyMap<string, unknown>,
  reading: Reading,
  whyOnlyThese?: string,
): string | undefined {
  const name = table.has(key) ? key : camelCase(key);
  if (table.has(name)) return name;
  const why = whyOnlyThese === undefined ? "" : ` ${whyOnlyThese}`;
  reading.problems.add(`Unknown field "${key}"${suggestion(key, table.keys()) || "."}${why}`, at);
  return undefined;
}
