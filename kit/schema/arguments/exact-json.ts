import type { JsonValue } from "#kit/platform/json.ts";

/** Digits that a number may not hold. */
const LONG = /\d{16}/;

/**
 * The value of a JSON text whose integers are exact: one that a number does not hold, as ids of many services are, is the
 * text of its digits. Throws `SyntaxError`.
 */
export function parseExactJson(text: string): JsonValue {
  return LONG.test(text) ? JSON.parse(text, exact) : JSON.parse(text);
}

/** `context` has the text of a number; the language's types do not know it yet. */
function exact(_key: string, value: JsonValue, context?: { readonly source?: string }): JsonValue {
  const source = context?.source ?? "";
  if (typeof value !== "number" || !/^-?\d+$/.test(source)) return value;
  return BigInt(source) === BigInt(value) ? value : source;
}

/** Whether the text is one that stands for an integer which a number does not hold. */
export function isLongInteger(value: JsonValue | undefined): value is string {
  return typeof value === "string" && /^-?\d{16,40}$/.test(value);
}
