import { isJsonObject, type JsonValue } from "./json.ts";

/**
 * Returns a copy with the name of every member in camelCase, at any depth, for texts that other programs write in
 * snake_case. Values of the members named in `free` stay as they are: their keys are the author's own.
 */
export function inCamelCase(value: JsonValue, free: ReadonlySet<string>): JsonValue {
  if (Array.isArray(value)) return value.map((item) => inCamelCase(item, free));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const name = key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
      return [name, free.has(name) ? member : inCamelCase(member, free)];
    }),
  );
}
