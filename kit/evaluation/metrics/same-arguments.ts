import { isJsonObject, type JsonValue } from "#kit/platform/json.ts";

/**
 * Whether two values of arguments are equal. As in other ADK servers, `true` equals 1 and `false` equals 0; absent
 * arguments equal null and no object, not even an empty one.
 */
export function sameArguments(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === undefined || other === undefined) return (one ?? null) === (other ?? null);
  if (Array.isArray(one)) return Array.isArray(other) && sameEntries(one, other);
  if (isJsonObject(one)) return isJsonObject(other) && sameMembers(one, other);
  return isNumeric(one) && isNumeric(other) ? Number(one) === Number(other) : one === other;
}

function sameEntries(one: readonly JsonValue[], other: readonly JsonValue[]): boolean {
  return one.length === other.length && one.every((entry, index) => sameArguments(entry, other[index]));
}

function sameMembers(one: Readonly<Record<string, JsonValue>>, other: Readonly<Record<string, JsonValue>>): boolean {
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => Object.hasOwn(other, name) && sameArguments(one[name], other[name]));
}

function isNumeric(value: JsonValue): boolean {
  return typeof value === "number" || typeof value === "boolean";
}
