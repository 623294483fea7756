import { createHash } from "node:crypto";
import { escapeSegment, unescapeSegment } from "#kit/names/identifiers.ts";

/**
 * File systems allow 255 bytes for a name and as few as 1,024 for a path, and a path contains four names below the
 * root.
 */
const MAX_FILE_NAME_LENGTH = 160;
/** The first character of a hashed segment; no escaped identifier begins with it. */
const HASHED_PREFIX = "_";

/**
 * One identifier as one file name: `escapeSegment`, with capitals marked (`R` becomes `~r`), because some file systems
 * do not distinguish `a` and `A`, and hashed if it is too long for them. The identifier cannot be restored from a
 * hashed name.
 */
export function toFileSegment(identifier: string): string {
  const segment = escapeSegment(identifier).replace(ESCAPE_OR_CAPITAL, (match) =>
    match.length === 1 ? `~${match.toLowerCase()}` : match,
  );
  if (segment.length <= MAX_FILE_NAME_LENGTH) return segment;
  return HASHED_PREFIX + createHash("sha256").update(identifier, "utf8").digest("hex");
}

/** The identifier, or undefined for a hashed name and for any other that `toFileSegment` does not write. */
export function fromFileSegment(name: string): string | undefined {
  const identifier = unescapeSegment(name.replace(MARKED_CAPITAL, (match) => match.slice(1).toUpperCase()));
  return identifier !== undefined && toFileSegment(identifier) === name ? identifier : undefined;
}

export function isHashedSegment(name: string): boolean {
  return name.startsWith(HASHED_PREFIX);
}

const ESCAPE_OR_CAPITAL = /%[0-9A-F]{2}|[A-Z]/g;
const MARKED_CAPITAL = /~[a-z]/g;
