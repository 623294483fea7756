import { PlatformError } from "#kit/errors/platform-error.ts";
import type { JsonValue } from "#kit/platform/json.ts";
import { parseJson } from "#kit/schema/read-json.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { checkJsonStructure, type JsonLimits } from "#ports/sessions/json-structure.ts";
import type { SessionKey__Output } from "#proto/fairlead/common/v1/SessionKey.ts";
import type { Duration, Duration__Output } from "#proto/google/protobuf/Duration.ts";
import type { Timestamp, Timestamp__Output } from "#proto/google/protobuf/Timestamp.ts";
import { fromTenantMember, toTenantMember } from "./tenant-messages.ts";

/** Common parts of the messages of several services. */

/** The size of one chunk of a large body. */
export const CHUNK_BYTES = 256 * 1024;
/** The most bytes of one message of a list, unless a single item is larger. */
export const BATCH_BYTES = 1024 * 1024;
/** The channel's limit for one message. */
export const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
/** Characters of a page of a list that is read as a whole: the part of it that the service has in memory. */
export const PAGE_CHARACTERS = 1024 * 1024;

const MS_PER_SECOND = 1000;
const NANOS_PER_MS = 1_000_000;

export function toTimestamp(milliseconds: number): Timestamp {
  const seconds = Math.floor(milliseconds / MS_PER_SECOND);
  return { seconds, nanos: Math.round((milliseconds - seconds * MS_PER_SECOND) * NANOS_PER_MS) };
}

export function fromTimestamp(timestamp: Timestamp__Output | Duration__Output | null | undefined): number {
  return timestamp ? timestamp.seconds * MS_PER_SECOND + timestamp.nanos / NANOS_PER_MS : 0;
}

export function toDuration(milliseconds: number): Duration {
  return toTimestamp(milliseconds);
}

export function toJsonBytes(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

/**
 * The limits of JSON inside messages: three full scopes of state fit, and anything that an agent creates. They prevent
 * that a message of a few megabytes becomes a tree of hundreds, or overflows the stack of recursive code.
 */
const JSON_LIMITS: JsonLimits = { maxElements: 500_000, maxDepth: 1000 };

/** Throws `JSON_TOO_COMPLEX` for JSON that would be too large once it is parsed. */
export function checkJsonBytes(bytes: Uint8Array, what: string): void {
  checkJsonStructure(bytes, what, JSON_LIMITS);
}

/** The value in the bytes, of the type that the peer wrote. Throws `MALFORMED_JSON` and `JSON_TOO_COMPLEX`. */
export function fromJsonBytes<Value = JsonValue>(bytes: Uint8Array, what: string): Value {
  checkJsonBytes(bytes, what);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  // Services trust each other's message shapes; the gateway has checked the data.
  return parseJson(text, what) as Value;
}

export function toSessionKeyMessage(key: SessionKey): Required<SessionKey> {
  return { ...toTenantMember(key), appName: key.appName, userId: key.userId, id: key.id };
}

/** Returns empty names for an absent key; every port refuses them. Throws `INVALID_FIELD` if it names no tenant. */
export function fromSessionKey(key: SessionKey__Output | null | undefined): SessionKey {
  if (!key) return { appName: "", userId: "", id: "" };
  return { ...fromTenantMember(key), appName: key.appName, userId: key.userId, id: key.id };
}

export function* chunks(bytes: Uint8Array): Generator<Buffer, void, undefined> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < buffer.length; at += CHUNK_BYTES) yield buffer.subarray(at, at + CHUNK_BYTES);
}

/** Groups of items that fit into a message each. */
export function* batches<Item>(
  items: Iterable<Item>,
  bytesOf: (item: Item) => number,
): Generator<Item[], void, undefined> {
  let batch: Item[] = [];
  let bytes = 0;
  for (const item of items) {
    const size = bytesOf(item);
    if (batch.length > 0 && bytes + size > BATCH_BYTES) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(item);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

/** A member that is always set to a known value. Only a peer of another version can omit it or use an unknown value. */
export function required<Part>(part: Part | null | undefined): Part {
  if (part === null || part === undefined)
    throw new PlatformError(
      "NOT_IMPLEMENTED",
      "A message of another service lacks a part, or holds a value that is not known here; it may be of another version.",
    );
  return part;
}

/** Marks the last message: if a caller is interrupted, its messages end without the mark. */
export function* markLast<Message extends object>(
  messages: Iterable<Message>,
): Generator<Message & { readonly complete?: true }, void, undefined> {
  let held: Message | undefined;
  for (const message of messages) {
    if (held !== undefined) yield held;
    held = message;
  }
  if (held !== undefined) yield { ...held, complete: true };
}

/** Throws unless the last message was marked. */
export function assertComplete(complete: boolean): void {
  if (!complete) throw new PlatformError("CALL_CANCELLED", "The caller ended the call before its last message.");
}
