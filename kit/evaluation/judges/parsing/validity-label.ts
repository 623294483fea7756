import { trimEndOf } from "#kit/platform/trim-end.ts";

/** The verdict of an answer; undefined if it contains none. */
export function readValidity(text: string): boolean | undefined {
  const label = memberOf(text, "is_the_agent_response_valid", /[^"^\]\s]*/y);
  if (label !== undefined) return VERDICTS.get(trimEndOf(label, ",}"));
  // Some models answer with a member of the opposite meaning.
  const opposite = memberOf(text, "is_the_agent_response_invalid", /[^"^\]\s]*/y);
  return opposite === undefined ? undefined : !["true", "invalid"].includes(trimEndOf(opposite, ",}"));
}

/** The verdict of an answer about a message of a simulated user. */
export function readMessageValidity(text: string): boolean | undefined {
  const label = memberOf(text, "is_valid", /[^"\]]*/y);
  if (label === undefined) return undefined;
  return VERDICTS.get(trimEndOf(label, "}").replaceAll(",", "").trim().toLowerCase());
}

const VERDICTS: ReadonlyMap<string, boolean> = new Map([
  ["valid", true],
  ["true", true],
  ["invalid", false],
  ["false", false],
  ["almost", false],
  ["partially_valid", false],
  ["partially valid", false],
  ["partially", false],
]);

/**
 * The value of the first member of the name, which may be in quotes and brackets and ends with a comma, a brace or a
 * line. Answers of models are not always JSON, so this reads more than JSON.
 */
function memberOf(text: string, name: string, value: RegExp): string | undefined {
  const opening = `"${name}":`;
  for (let at = text.indexOf(opening); at !== -1; at = text.indexOf(opening, at + 1)) {
    const found = valueAt(text, at + opening.length, value);
    if (found !== undefined) return found;
  }
  return undefined;
}

function valueAt(text: string, start: number, value: RegExp): string | undefined {
  const brackets = skip(text, skip(text, start, /\s*/y), /\[*/y);
  const quotes = skip(text, brackets, /\s*/y);
  const from = skip(text, quotes, /"*/y);
  const to = skip(text, from, value);
  if (endsAt(text, to)) return text.slice(from, to);
  const within = text.slice(from, to);
  const end = Math.max(...[",", "}", "\n"].map((mark) => within.lastIndexOf(mark)));
  if (end !== -1) return within.slice(0, end);
  return text.slice(start, from).includes("\n") ? "" : undefined;
}

function endsAt(text: string, start: number): boolean {
  const space = skip(text, start, /"*/y);
  const bracket = skip(text, space, /\s*/y);
  if (text.slice(space, bracket).includes("\n")) return true;
  const rest = skip(text, bracket, /\]*/y);
  const end = skip(text, rest, /\s*/y);
  return text.slice(rest, end).includes("\n") || text[end] === "," || text[end] === "}";
}

/** The position after the longest match at a position. */
function skip(text: string, start: number, pattern: RegExp): number {
  pattern.lastIndex = start;
  return start + (pattern.exec(text)?.[0].length ?? 0);
}
