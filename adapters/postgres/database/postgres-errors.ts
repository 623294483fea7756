import { PlatformError } from "#kit/errors/platform-error.ts";

/** SQLSTATEs of transactions that were rolled back because of others: the same one can succeed later. */
const REPEATABLE: ReadonlySet<string> = new Set(["40001", "40P01", "55P03"]);
/** A key is taken. */
const TAKEN = "23505";
/** Classes of SQLSTATEs of a server that cannot answer now: connections, resources, operators, I/O. */
const UNAVAILABLE_CLASSES: ReadonlySet<string> = new Set(["08", "53", "57", "58"]);
/**
 * Single ones: a transaction that conflicts with others, a standby that is not writable yet, a missing database, and
 * passwords and permissions, which operators configure and which are wrong only temporarily.
 */
const UNAVAILABLE: ReadonlySet<string> = new Set([...REPEATABLE, "25006", "3D000", "28000", "28P01", "42501"]);

/** Whether the server has refused a text with U+0000, which it can neither store nor compare. */
export function hasNul(error: unknown): boolean {
  return sqlState(error) === "22021";
}

/** The value with another control character in place of U+0000. No name has one either, so that it finds nothing. */
export function withoutNul(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNul);
  return typeof value === "string" ? value.replaceAll("\0", "\u0001") : value;
}

/** Whether the server has rolled the transaction back because of other transactions. */
export function isRepeatable(error: unknown): boolean {
  return REPEATABLE.has(sqlState(error) ?? "");
}

export function isTaken(error: unknown): boolean {
  return sqlState(error) === TAKEN;
}

/**
 * Whether the server has refused the statement: it is certain that nothing was stored. After any other error the
 * outcome of a write is unknown.
 */
export function isRefused(error: unknown): boolean {
  const state = sqlState(error);
  return state !== undefined && (REPEATABLE.has(state) || !UNAVAILABLE_CLASSES.has(state.slice(0, 2)));
}

/** Whether the connection may be used again after the error. */
export function keepsConnection(error: unknown): boolean {
  // A server that became a standby stays one, and the next connection may find the new primary.
  return isRefused(error) && sqlState(error) !== "25006";
}

/** The error for a failed call. The server's own text is only in the cause, because it can contain stored values. */
export function translatePostgresError(error: unknown): unknown {
  if (error instanceof PlatformError) return error;
  const state = sqlState(error);
  if (state === undefined) return storeUnavailable(error);
  if (UNAVAILABLE.has(state) || UNAVAILABLE_CLASSES.has(state.slice(0, 2))) return storeUnavailable(error);
  return error;
}

export function storeUnavailable(cause?: unknown): PlatformError {
  return new PlatformError("STORE_UNAVAILABLE", "The database did not answer. Try again.", { cause });
}

/** The five characters of an error that the server reported; undefined for errors of the connection. */
export function sqlState(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" && /^[0-9A-Z]{5}$/.test(error.code) && "severity" in error
    ? error.code
    : undefined;
}
