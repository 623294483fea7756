import { isJsonObject, type JsonValue } from "#kit/platform/json.ts";

/** `sessionId` for `session_id`. A name without underscores is returned as it is. */
export function camelCase(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** `session_id` for `sessionId`. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A copy with every member's name in camelCase, at any depth: for data of other programs that no table describes. */
export function inCamelCase(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(inCamelCase);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [camelCase(key), inCamelCase(member)]));
}
