import type { Shape } from "./shape.ts";

const NUMBER = /^-?\d{1,16}(?:\.\d+)?$/;
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

/** What a text means where the shape has a number or a boolean. A text that means none is returned as it is: reading refuses it. */
export function valueOfText({ type }: Shape, text: string): string | number | boolean {
  if ((type === "integer" || type === "number") && NUMBER.test(text)) return Number(text);
  if (type === "boolean") return BOOLEANS.get(text.toLowerCase()) ?? text;
  return text;
}
