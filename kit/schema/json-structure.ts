import { PlatformError } from "#kit/errors/platform-error.ts";

/** How much structure a JSON text may have before it is parsed. */
export interface JsonLimits {
  /** Members of all objects and elements of all lists, together. */
  readonly maxElements: number;
  /** Lists and objects inside each other. */
  readonly maxDepth: number;
}

// The deepest JSON that people send is a schema inside a state; what is deeper only serves to overflow a stack.
export const MAX_JSON_DEPTH = 200;

/**
 * Counts members, elements and depth in the bytes, so that a small text cannot become a large tree: `[[],[],…]` takes thirty times
 * its size once it is parsed. One pass, which ends at the first excess; whether the text is JSON at all is for the parser to
 * say. Throws `JSON_TOO_COMPLEX`.
 */
export function checkJsonStructure(bytes: Uint8Array, what: string, limits: JsonLimits): void {
  const { maxElements, maxDepth } = limits;
  const { length } = bytes;
  // An element takes two bytes at least, a level one.
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

/** Up to here a string is read byte by byte; what is longer is searched natively, which is many times as fast. */
const SHORT_STRING_BYTES = 64;

/** The place of the quote that ends the string, or the length when none does. */
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

/** Whether an odd number of backslashes stands before the quote; none before `from` belongs to it. */
function isEscaped(bytes: Buffer, from: number, quote: number): boolean {
  let first = quote;
  while (first > from && bytes[first - 1] === BACKSLASH) first -= 1;
  return (quote - first) % 2 === 1;
}

/** The place before the next byte that is not white space. */
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
