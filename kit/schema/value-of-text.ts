import type { Shape } from "./shape.ts";

const NUMBER = /^-?\d{1,16}(?:\.\d+)?$/;
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

/**
 * The number or the boolean that a text spells, where the shape has one. Any other text is returned as it is, and the
 * reader refuses it.
 */
export function valueOfText({ type }: Shape, text: string): string | number | boolean {
  if ((type === "integer" || type === "number") && NUMBER.test(text)) return Number(text);
  if (type === "boolean") return BOOLEANS.get(text.toLowerCase()) ?? text;
  return text;
}
