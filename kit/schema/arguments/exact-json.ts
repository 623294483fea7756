import type { JsonValue } from "#kit/platform/json.ts";
import { JsonTexts } from "./json-texts.ts";

/** Integers that a number may not hold, and no part of another number. */
const LONG = /(?<![\d.eE+-])-?\d{16,40}(?![\d.eE])/g;

/**
 * The value of a JSON text whose integers are exact: one that a number does not hold, as ids of many services are, is the
 * text of its digits. Throws `SyntaxError`. Takes two to five times as long as `JSON.parse`, whose own reviver would
 * take a hundred times as long.
 */
export function parseExactJson(text: string): JsonValue {
  const value: JsonValue = JSON.parse(text);
  const quoted = withQuotedIntegers(text);
  return quoted === text ? value : JSON.parse(quoted);
}

/** Whether the text is one that stands for an integer which a number does not hold. */
export function isLongInteger(value: JsonValue | undefined): value is string {
  return typeof value === "string" && /^-?\d{16,40}$/.test(value);
}

/** The text with quotes around the integers that a number does not hold. */
function withQuotedIntegers(json: string): string {
  const pieces: string[] = [];
  const texts = new JsonTexts(json);
  let copied = 0;
  for (const { 0: digits, index } of json.matchAll(LONG)) {
    if (texts.isWithin(index) || BigInt(digits) === BigInt(Number(digits))) continue;
    pieces.push(json.slice(copied, index), '"', digits, '"');
    copied = index + digits.length;
  }
  return pieces.length === 0 ? json : pieces.join("") + json.slice(copied);
}
