import { PlatformError } from "#kit/errors/platform-error.ts";

/** Limits of the structure of a JSON text, which are checked before it is parsed. */
export interface JsonLimits {
  /** Members of all objects and elements of all lists, together. */
  readonly maxElements: number;
  /** The depth of nested lists and objects. */
  readonly maxDepth: number;
}

// The deepest JSON in practice is a schema inside a state; deeper JSON only serves to overflow a stack.
export const MAX_JSON_DEPTH = 200;

/**
 * Counts members, elements and depth in the bytes, so that a small text cannot become a large tree: `[[],[],…]` takes
 * thirty times its size once it is parsed. One pass, which ends at the first excess; the parser decides whether the
 * text is JSON. Throws `JSON_TOO_COMPLEX`.
 */
export function checkJsonStructure(bytes: Uint8Array, what: string, limits: JsonLimits): void {
  const { maxElements, maxDepth } = limits;
  const { length } = bytes;
  // An element needs at least two bytes, a level one.
  if (length <= maxDepth && length <= 2 * maxElements) return;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, length);
  let elements = 0;
  let depth = 0;
  for (let at = 0; at < length; at++) {
    const byte = buffer[at];
    if (byte === QUOTE) {
      at = endOfString(buffer, at + 1);
    } else if (byte === COMMA) {
      elements += 1;
      if (elements > maxElements) throw tooManyElements(what, maxElements);
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      depth += 1;
      if (depth > maxDepth) throw tooDeep(what, maxDepth);
      at = beforeNext(buffer, at + 1);
      const next = buffer[at + 1];
      if (next !== CLOSE_LIST && next !== CLOSE_OBJECT) elements += 1;
      if (elements > maxElements) throw tooManyElements(what, maxElements);
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      depth -= 1;
    }
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SPACE = 0x20;

/**
 * A string is read byte by byte up to this length; the rest of a longer one is searched natively, which is many times
 * as fast.
 */
const SHORT_STRING_BYTES = 64;

/** The index of the quote that ends the string, or the length if there is none. */
function endOfString(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length) {
    const end = at + SHORT_STRING_BYTES;
    for (; at < end; at++) {
      const byte = bytes[at];
      if (byte === QUOTE) return at;
      if (byte === BACKSLASH) at += 1;
    }
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0) return bytes.length;
    if (!isEscaped(bytes, at, quote)) return quote;
    at = quote + 1;
  }
  return bytes.length;
}

/** Whether an odd number of backslashes precedes the quote, counted from `from`. */
function isEscaped(bytes: Buffer, from: number, quote: number): boolean {
  let first = quote;
  while (first > from && bytes[first - 1] === BACKSLASH) first -= 1;
  return (quote - first) % 2 === 1;
}

/** The index before the next byte that is not white space. */
function beforeNext(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && (bytes[at] ?? SPACE) <= SPACE) at += 1;
  return at - 1;
}

function tooManyElements(what: string, maxElements: number): PlatformError {
  const message = `${what} has more than ${maxElements} members and elements.`;
  return new PlatformError("JSON_TOO_COMPLEX", message, { details: { maxElements: String(maxElements) } });
}

function tooDeep(what: string, maxDepth: number): PlatformError {
  const message = `${what} is nested deeper than ${maxDepth} levels.`;
  return new PlatformError("JSON_TOO_COMPLEX", message, { details: { maxDepth: String(maxDepth) } });
}
