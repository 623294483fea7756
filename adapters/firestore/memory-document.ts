import { createHash } from "node:crypto";
import type { MemoryEntry } from "#kit/memory/memory-service.ts";
import type { MemoryRecord } from "#ports/memory/memory-records.ts";
import { assertDocumentBytes, MAX_CONTENT_BYTES } from "./database/document-size.ts";
import type { DocumentWrite, StoredDocument } from "./database/firestore-database.ts";

/**
 * Each word is an index entry, of which the store allows 40,000 for a document, and the cost of a write grows with
 * their number.
 */
const MAX_WORDS = 5_000;

/** The fields of an entry's document. `words` and `embedding` contain the data for searches. */
export const MEMORY_FIELDS = {
  session: "session",
  words: "words",
  time: "timeMs",
  id: "id",
  entry: "entry",
  embedding: "embedding",
} as const;
const BYTES_PER_NUMBER = 8;
const NO_WORDS: ReadonlySet<string> = new Set();
const MASK: readonly string[] = Object.values(MEMORY_FIELDS);

/** Encrypts or decrypts the text of an entry. */
type SealText = (text: string) => string;

/** An entry's document below its scope's; entries with the same session and id are the same document. */
export function memoryDocumentId(sessionId: string, entryId: string): string {
  // Two escaped identifiers may exceed the store's limit for a name.
  return createHash("sha256")
    .update(JSON.stringify([sessionId, entryId]), "utf8")
    .digest("hex");
}

/**
 * Throws `EVENT_TOO_LARGE` for an entry that exceeds a document's size. Only the first words of a very long text can be
 * found, and none of an encrypted one.
 */
export function memoryWrite(
  path: string,
  sessionId: string,
  record: MemoryRecord,
  { embedding, seal }: { readonly embedding?: readonly number[] | undefined; readonly seal?: SealText | undefined },
): DocumentWrite {
  const json = JSON.stringify(record.entry);
  const entry = seal === undefined ? json : seal(json);
  const entryBytes = Buffer.byteLength(entry);
  assertDocumentBytes("A memory entry", entryBytes);
  const fields = {
    [MEMORY_FIELDS.session]: sessionId,
    [MEMORY_FIELDS.words]: firstWords(
      seal === undefined ? record.words : NO_WORDS,
      MAX_CONTENT_BYTES - entryBytes - BYTES_PER_NUMBER * (embedding?.length ?? 0),
    ),
    [MEMORY_FIELDS.time]: record.timeMs,
    [MEMORY_FIELDS.id]: record.id,
    [MEMORY_FIELDS.entry]: entry,
  };
  const vectors: Record<string, readonly number[]> =
    embedding === undefined ? {} : { [MEMORY_FIELDS.embedding]: embedding };
  return { kind: "update", path, fields, vectors, mask: MASK };
}

export function toMemoryEntry({ fields }: StoredDocument, open: SealText): MemoryEntry {
  // Written by memoryWrite from a MemoryEntry.
  return JSON.parse(open(String(fields[MEMORY_FIELDS.entry]))) as MemoryEntry;
}

function firstWords(words: ReadonlySet<string>, maxBytes: number): string[] {
  const first: string[] = [];
  let bytes = 0;
  for (const word of words) {
    bytes += Buffer.byteLength(word) + 1;
    if (first.length >= MAX_WORDS || bytes > maxBytes) break;
    first.push(word);
  }
  return first;
}
