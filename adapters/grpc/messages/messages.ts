import { PlatformError } from "#kit/errors/platform-error.ts";
import type { JsonValue } from "#kit/platform/json.ts";
import { checkJsonStructure, type JsonLimits } from "#kit/schema/json-structure.ts";
import { parseJson } from "#kit/schema/read-json.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { SessionKey__Output } from "#proto/agentplane/common/v1/SessionKey.ts";
import type { Duration, Duration__Output } from "#proto/google/protobuf/Duration.ts";
import type { Timestamp, Timestamp__Output } from "#proto/google/protobuf/Timestamp.ts";

/** Pieces that messages of several services are made of. */

/** The size of one chunk of a large body. */
export const CHUNK_BYTES = 256 * 1024;
/** How much one message of a list holds at most, unless a single item is larger. The limit of the channel is 4 MiB. */
export const BATCH_BYTES = 1024 * 1024;

const MS_PER_SECOND = 1000;
const NANOS_PER_MS = 1_000_000;

export function toTimestamp(milliseconds: number): Timestamp {
  const seconds = Math.floor(milliseconds / MS_PER_SECOND);
  return { seconds, nanos: Math.round((milliseconds - seconds * MS_PER_SECOND) * NANOS_PER_MS) };
}

export function fromTimestamp(timestamp: Timestamp__Output | Duration__Output | null | undefined): number {
  return timestamp ? Number(timestamp.seconds) * MS_PER_SECOND + timestamp.nanos / NANOS_PER_MS : 0;
}

export function toDuration(milliseconds: number): Duration {
  return toTimestamp(milliseconds);
}

export function toJsonBytes(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

/**
 * What JSON inside of messages may have: three full scopes of state fit, and whatever an agent makes. It keeps a message of a few
 * megabytes from becoming a tree of hundreds, and from overflowing the stack of those who walk through it.
 */
const JSON_LIMITS: JsonLimits = { maxElements: 500_000, maxDepth: 1000 };

/** Refuses JSON that would be too much once it is parsed. Throws `JSON_TOO_COMPLEX`. */
export function checkJsonBytes(bytes: Uint8Array, what: string): void {
  checkJsonStructure(bytes, what, JSON_LIMITS);
}

/** The value in the bytes, of the type that the peer wrote there. Throws `MALFORMED_JSON` and `JSON_TOO_COMPLEX`. */
export function fromJsonBytes<Value = JsonValue>(bytes: Uint8Array, what: string): Value {
  checkJsonBytes(bytes, what);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  // Services trust each other for the shapes of what they send; the edge has checked it.
  return parseJson(text, what) as Value;
}

/** An absent key becomes one of empty names, which every port refuses. */
export function fromSessionKey(key: SessionKey__Output | null | undefined): SessionKey {
  return { appName: key?.appName ?? "", userId: key?.userId ?? "", id: key?.id ?? "" };
}

export function* chunks(bytes: Uint8Array): Generator<Buffer, void, undefined> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < buffer.length; at += CHUNK_BYTES) yield buffer.subarray(at, at + CHUNK_BYTES);
}

/** Items in groups that fit into a message each. */
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

/** A part of a message that is always there, and known. Only a peer of another version can leave it out, or mean something else by it. */
export function required<Part>(part: Part | null | undefined): Part {
  if (part === null || part === undefined)
    throw new PlatformError(
      "NOT_IMPLEMENTED",
      "A message of another service lacks a part, or holds a value that is not known here; it may be of another version.",
    );
  return part;
}

/** Messages of which the last one says that it is: when a caller breaks off, its messages just end. */
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

/** Throws unless the last message that came said so. */
export function assertComplete(complete: boolean): void {
  if (!complete) throw new PlatformError("CALL_CANCELLED", "The caller broke off before its last message.");
}
