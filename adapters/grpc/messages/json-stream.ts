import { chunks, fromJsonBytes, toJsonBytes } from "./messages.ts";

/** A JSON value that may be larger than a message, in pieces. Both ends of a call use these. */

interface JsonPiece {
  readonly jsonChunk: Buffer;
}

/** The messages of a value. The first one holds the head, too. */
export function* toJsonPieces<Head extends object>(value: unknown, head: Head): Generator<JsonPiece & Partial<Head>> {
  let first = true;
  for (const jsonChunk of chunks(toJsonBytes(value))) {
    yield first ? { ...head, jsonChunk } : emptyHead(jsonChunk);
    first = false;
  }
}

export interface JoinedJson<Value, Piece> {
  readonly value: Value;
  readonly first: Piece;
}

/** The value of the messages, and the first of them; undefined when there was none. */
export async function fromJsonPieces<Value, Piece extends JsonPiece>(
  pieces: AsyncIterable<Piece>,
  what: string,
): Promise<JoinedJson<Value, Piece> | undefined> {
  const collected: Buffer[] = [];
  let first: Piece | undefined;
  for await (const piece of pieces) {
    first ??= piece;
    collected.push(piece.jsonChunk);
  }
  return first === undefined ? undefined : { value: fromJsonBytes<Value>(Buffer.concat(collected), what), first };
}

function emptyHead<Head extends object>(jsonChunk: Buffer): JsonPiece & Partial<Head> {
  // Every member of a partial head may be absent.
  return { jsonChunk } as JsonPiece & Partial<Head>;
}
