import { chunks, fromJsonBytes, toJsonBytes } from "./messages.ts";

/** A JSON value in chunks, because it may be larger than a message. Both ends of a call use these functions. */

interface JsonChunk {
  readonly jsonChunk: Buffer;
}

/** The messages of a value. The first one also contains the head. */
export function* toJsonChunks<Head extends object>(value: unknown, head: Head): Generator<JsonChunk & Partial<Head>> {
  let first = true;
  for (const jsonChunk of chunks(toJsonBytes(value))) {
    yield first ? { ...head, jsonChunk } : emptyHead(jsonChunk);
    first = false;
  }
}

export interface JoinedJson<Value, Chunk> {
  readonly value: Value;
  readonly first: Chunk;
}

/** The value of the messages, and the first of them; undefined if there was none. */
export async function fromJsonChunks<Value, Chunk extends JsonChunk>(
  messages: AsyncIterable<Chunk>,
  what: string,
): Promise<JoinedJson<Value, Chunk> | undefined> {
  const collected: Buffer[] = [];
  let first: Chunk | undefined;
  for await (const message of messages) {
    first ??= message;
    collected.push(message.jsonChunk);
  }
  return first === undefined ? undefined : { value: fromJsonBytes<Value>(Buffer.concat(collected), what), first };
}

function emptyHead<Head extends object>(jsonChunk: Buffer): JsonChunk & Partial<Head> {
  // Every member of a partial head may be absent.
  return { jsonChunk } as JsonChunk & Partial<Head>;
}
