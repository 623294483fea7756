import { createHash } from "node:crypto";
import type { DocumentWrite, StoredDocument } from "./database/firestore-database.ts";
import type { DocumentFields } from "./database/firestore-values.ts";

/** Texts that may exceed a document: the document has the start, and documents below it have the rest. */
export const TEXT_FIELD = "json";
const COUNT_FIELD = "parts";
const DIGEST_FIELD = "digest";
/** The bytes of the whole text. */
const BYTES_FIELD = "bytes";

/** The fields that name the other parts. */
export const PART_FIELDS = [COUNT_FIELD, DIGEST_FIELD, BYTES_FIELD] as const;

const PARTS_COLLECTION = "parts";
/** UTF-16 units, each of at most three bytes. */
const PART_LENGTH = 300_000;

export interface SplitText {
  readonly fields: DocumentFields;
  readonly parts: readonly DocumentWrite[];
}

/**
 * The fields of the document, and the writes of the others. Their names contain a digest of the text, so that no text
 * gets the parts of another one.
 */
export function splitText(path: string, text: string): SplitText {
  const [first = "", ...rest] = pieces(text);
  if (rest.length === 0) return { fields: { [TEXT_FIELD]: first }, parts: [] };
  const digest = createHash("sha256").update(text, "utf8").digest("hex");
  return {
    fields: {
      [TEXT_FIELD]: first,
      [COUNT_FIELD]: rest.length,
      [DIGEST_FIELD]: digest,
      [BYTES_FIELD]: Buffer.byteLength(text),
    },
    parts: rest.map((piece, index) => ({
      kind: "update",
      path: partPath(path, digest, index),
      fields: { [TEXT_FIELD]: piece },
      mask: [TEXT_FIELD],
    })),
  };
}

/** The bytes of a document's whole text; undefined if it has none. */
export function textBytes({
  [TEXT_FIELD]: text,
  [BYTES_FIELD]: bytes,
}: Readonly<Record<string, unknown>>): number | undefined {
  if (typeof bytes === "number") return bytes;
  return typeof text === "string" ? Buffer.byteLength(text) : undefined;
}

/** The other documents of a document's text. */
export function partPaths({ path, fields }: StoredDocument): readonly string[] {
  const count = Number(fields[COUNT_FIELD] ?? 0);
  return Array.from({ length: count }, (_, index) => partPath(path, String(fields[DIGEST_FIELD]), index));
}

/** The whole text; incomplete if a part is missing. */
export function joinText(document: StoredDocument, parts: ReadonlyMap<string, StoredDocument>): string {
  const rest = partPaths(document).map((path) => String(parts.get(path)?.fields[TEXT_FIELD] ?? ""));
  return [String(document.fields[TEXT_FIELD]), ...rest].join("");
}

function partPath(path: string, digest: string, index: number): string {
  return `${path}/${PARTS_COLLECTION}/${digest}-${index}`;
}

function pieces(text: string): readonly string[] {
  const found: string[] = [];
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + PART_LENGTH, text.length);
    // A character of two units is not divided.
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
    found.push(text.slice(start, end));
    start = end;
  }
  return found;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
