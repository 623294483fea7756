import { PlatformError } from "../errors/platform-error.ts";
import { assertTenant, type TenantScoped } from "./tenant.ts";

/** The most bytes of UTF-8 that an app name, user id, session id or file name may have. */
export const MAX_IDENTIFIER_BYTES = 256;
/** The most characters of an escaped segment: each byte of an identifier becomes at most three. */
export const MAX_SEGMENT_LENGTH = 3 * MAX_IDENTIFIER_BYTES;

const PLAIN_ASCII = /^[\x20-\x7e]{1,256}$/;
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f-\u009f]/;
/** Characters that a segment contains unescaped. All are ASCII, so that no file system can normalise them. */
const LITERAL = /^[A-Za-z0-9@=+,._-]+$/;
const ESCAPES = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  return byte < 0x80 && LITERAL.test(character) ? character : percent(byte);
});

/**
 * Throws `INVALID_IDENTIFIER` unless the value is 1 to 256 bytes of well-formed Unicode without control characters.
 * Everything else is allowed, slashes and dots included: code that builds a key or a path from the value escapes it.
 */
export function assertIdentifier(field: string, value: unknown): asserts value is string {
  if (typeof value === "string" && PLAIN_ASCII.test(value)) return;
  const problem = identifierProblem(value);
  if (problem === undefined) return;
  throw new PlatformError("INVALID_IDENTIFIER", `${field} ${problem}`, { details: { field } });
}

/** Whether `assertIdentifier` accepts the value. */
export function isIdentifier(value: string): boolean {
  return PLAIN_ASCII.test(value) || identifierProblem(value) === undefined;
}

/** Whether an optional id counts as absent: undefined, null, or white space only. */
export function isBlank(id: string | null | undefined): id is null | undefined | "" {
  return id === undefined || id === null || id.trim() === "";
}

export function assertSessionKey(
  key: TenantScoped & { readonly appName: string; readonly userId: string; readonly id: string },
): void {
  assertTenant(key);
  assertIdentifier("appName", key.appName);
  assertIdentifier("userId", key.userId);
  assertIdentifier("sessionId", key.id);
}

/**
 * Returns one identifier as one segment of a path or object name. Reversible, distinct for distinct identifiers, pure
 * ASCII, at most `MAX_SEGMENT_LENGTH` characters. A segment is never empty, `.` or `..`, never begins with `.` or `_`
 * (our own names may), never ends with `.`, and contains no slash, backslash or NUL.
 */
export function escapeSegment(identifier: string): string {
  if (LITERAL.test(identifier) && !hasReservedEdge(identifier)) return identifier;
  const bytes = Buffer.from(identifier, "utf8");
  let segment = "";
  for (const [index, byte] of bytes.entries()) {
    const first = index === 0 && (byte === DOT || byte === UNDERSCORE);
    const last = index === bytes.length - 1 && byte === DOT;
    segment += first || last ? percent(byte) : (ESCAPES[byte] ?? "");
  }
  return segment;
}

/**
 * The identifier that `escapeSegment` made the segment from, or undefined for a segment that `escapeSegment` never
 * returns.
 */
export function unescapeSegment(segment: string): string | undefined {
  let identifier: string;
  try {
    identifier = decodeURIComponent(segment);
  } catch {
    return undefined;
  }
  return identifierProblem(identifier) === undefined && escapeSegment(identifier) === segment ? identifier : undefined;
}

const DOT = 0x2e;
const UNDERSCORE = 0x5f;

function hasReservedEdge(identifier: string): boolean {
  return identifier.startsWith(".") || identifier.startsWith("_") || identifier.endsWith(".");
}

function percent(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
}

function identifierProblem(value: unknown): string | undefined {
  if (typeof value !== "string") return "must be a string.";
  if (value === "") return "is empty. Give it at least one character.";
  if (!value.isWellFormed()) return "has half of a surrogate pair. Send well-formed Unicode.";
  if (CONTROL_CHARACTER.test(value)) return "has a control character. Remove it.";
  if (Buffer.byteLength(value) > MAX_IDENTIFIER_BYTES) {
    return `is over ${MAX_IDENTIFIER_BYTES} bytes of UTF-8. Make it shorter.`;
  }
  return undefined;
}
