import { isJsonObject, type JsonValue } from "./json.ts";

/** JSON text that is equal for equal values, independent of the order of their keys. */
export function canonicalJson(value: JsonValue): string {
  return JSON.stringify(value, (_key, member: JsonValue) => (isJsonObject(member) ? withSortedKeys(member) : member));
}

function withSortedKeys(object: Readonly<Record<string, JsonValue>>): object {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}
