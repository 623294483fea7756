import type { JsonObject } from "#kit/platform/json.ts";
import { newContentId } from "#kit/platform/random-text.ts";
import { MAX_ATTEMPTS, tooManyWriters } from "#ports/rows/change-rows.ts";
import {
  assertCommit,
  type KeyRange,
  MAX_PAGE_CHARACTERS,
  type Row,
  type RowPage,
  type RowRange,
  type RowTable,
  type RowWrite,
} from "#ports/rows/row-table.ts";
import type {
  DocumentVersion,
  DocumentWrite,
  FirestoreDatabase,
  StoredDocument,
} from "./database/firestore-database.ts";
import { LostPreconditionError } from "./database/firestore-errors.ts";
import { toWireValue } from "./database/firestore-values.ts";
import { DEFAULT_ROOT_COLLECTION } from "./database/user-paths.ts";
import { MAX_EVENT_BYTES_PER_COMMIT, splitBySize } from "./sessions/session-commits.ts";

export interface FirestoreRowTableOptions {
  readonly database: FirestoreDatabase;
  /** The collection of all of this platform's data; `fairlead` when absent. */
  readonly root?: string | undefined;
  /** The name of the table. */
  readonly name: string;
}

const KEY = "key";
const JSON_TEXT = "json";
/** The characters of the whole JSON. */
const LENGTH = "length";
/** How many documents below the row's have the JSON, and what their names begin with. */
const COUNT = "parts";
const PARTS_NAME = "partsName";
/** All fields but the text. */
const HEAD = [KEY, LENGTH, COUNT, PARTS_NAME];
/** Longer JSON is in parts, so that a page of rows is small before it is cut by its size. */
const MAX_INLINE_CHARACTERS = 100_000;
/** UTF-16 units of a part, each of at most three bytes. */
const PIECE_LENGTH = 300_000;
/** Rows that one query reads. */
const ROWS_TOGETHER = 50;

/** The document of the row as it was read. */
interface Version {
  readonly document: DocumentVersion;
  readonly parts: readonly string[];
}

/** The write of a row's document, and the writes of its parts. */
interface RowDocuments {
  readonly row: DocumentWrite;
  readonly parts: readonly DocumentWrite[];
}

/**
 * Rows in Firestore: `{root}/_rows/{name}/{key}`. A document has at most 1 MiB and a request 4 MiB, so long values, and
 * values that do not fit into the commit, are in documents below their row: written before the row that names them, and
 * removed after it. No app's document has a name that begins with `_`.
 */
export class FirestoreRowTable implements RowTable {
  readonly #database: FirestoreDatabase;
  readonly #parent: string;
  readonly #collection: string;

  constructor({ database, root = DEFAULT_ROOT_COLLECTION, name }: FirestoreRowTableOptions) {
    this.#database = database;
    this.#parent = `${root}/_rows`;
    this.#collection = name;
  }

  async read(keys: readonly string[]): Promise<ReadonlyMap<string, Row>> {
    const rows = await this.#toRows([...(await this.#read(keys)).values()]);
    return new Map(rows.map((row) => [row.key, row]));
  }

  async list({ maxCharacters = MAX_PAGE_CHARACTERS, ...range }: RowRange): Promise<RowPage> {
    const documents: StoredDocument[] = [];
    let characters = 0;
    for (;;) {
      const limit = Math.min(ROWS_TOGETHER, range.limit - documents.length);
      const last = documents.at(-1);
      const found =
        limit === 0
          ? []
          : await this.#query({ ...range, after: last === undefined ? range.after : keyOf(last), limit });
      for (const document of found) {
        documents.push(document);
        characters += Number(document.fields[LENGTH]);
        if (characters >= maxCharacters) return { rows: await this.#toRows(documents), hasMore: true };
      }
      if (found.length === ROWS_TOGETHER && documents.length < range.limit) continue;
      return { rows: await this.#toRows(documents), hasMore: documents.length === range.limit };
    }
  }

  async listKeys(range: KeyRange): Promise<readonly string[]> {
    return (await this.#query(range, [KEY])).map(keyOf);
  }

  async commit(writes: readonly RowWrite[]): Promise<boolean> {
    assertCommit(writes);
    if (writes.length === 0) return true;
    // A write in any state of the row must know the parts that it replaces, so it expects the row as it is read here.
    const open = writes.filter(({ expect }) => expect === undefined).map(({ key }) => key);
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const found = await this.#read(open, HEAD);
      const before = writes.map(({ key, expect }) => {
        if (expect === "missing") return undefined;
        // Versions come from this table, so they have its type.
        if (expect !== undefined) return expect as Version;
        const document = found.get(this.#pathOf(key));
        return document && versionOf(document);
      });
      if (await this.#write(writes, before)) return true;
      if (open.length === 0 || (await this.#isLost(writes))) return false;
    }
    throw tooManyWriters();
  }

  async #write(writes: readonly RowWrite[], before: readonly (Version | undefined)[]): Promise<boolean> {
    let room = MAX_EVENT_BYTES_PER_COMMIT;
    const documents = writes.map((write, index): RowDocuments => {
      const json = write.value === undefined ? "" : JSON.stringify(write.value);
      const bytes = Buffer.byteLength(json);
      const isInline = json.length <= MAX_INLINE_CHARACTERS && bytes <= room;
      if (isInline) room -= bytes;
      return toDocuments(this.#pathOf(write.key), { ...write, json, isInline, before: before[index] });
    });
    const parts = documents.flatMap((each) => each.parts);
    await this.#commitAll(parts);
    try {
      await this.#database.commit(documents.map(({ row }) => row));
    } catch (error) {
      // After any other error the row may have been written, with these parts.
      if (!(error instanceof LostPreconditionError)) throw error;
      await this.#remove(parts.map(({ path }) => path));
      return false;
    }
    await this.#remove(before.flatMap((version) => version?.parts ?? []));
    return true;
  }

  /** Whether a row is not as the caller's write expects it. */
  async #isLost(writes: readonly RowWrite[]): Promise<boolean> {
    const expecting = writes.filter(({ expect }) => expect !== undefined);
    const found = await this.#read(
      expecting.map(({ key }) => key),
      [KEY],
    );
    return expecting.some(({ key, expect }) => {
      const version = found.get(this.#pathOf(key))?.version;
      if (expect === "missing") return version !== undefined;
      // As above.
      return JSON.stringify(version) !== JSON.stringify((expect as Version).document);
    });
  }

  async #commitAll(writes: readonly DocumentWrite[]): Promise<void> {
    for (const some of splitBySize(writes, bytesOf)) await this.#database.commit(some);
  }

  #remove(paths: readonly string[]): Promise<void> {
    return this.#commitAll(paths.map((path) => ({ kind: "delete", path })));
  }

  async #read(keys: readonly string[], fields?: readonly string[]): Promise<ReadonlyMap<string, StoredDocument>> {
    return keys.length === 0
      ? new Map()
      : this.#database.read(
          keys.map((key) => this.#pathOf(key)),
          fields,
        );
  }

  #query({ prefix, after, limit, descending = false }: KeyRange, select?: readonly string[]) {
    return this.#database.query({
      parent: this.#parent,
      collection: this.#collection,
      where: [
        { field: KEY, op: "GREATER_THAN", value: toWireValue(prefix) },
        { field: KEY, op: "LESS_THAN_OR_EQUAL", value: toWireValue(`${prefix}\u{10ffff}`) },
      ],
      // Documents cannot be read backwards by their names.
      orderBy: [[KEY, descending ? "DESCENDING" : "ASCENDING"]],
      startAfter: after === undefined ? undefined : [toWireValue(after)],
      limit,
      select,
    });
  }

  async #toRows(documents: readonly StoredDocument[]): Promise<readonly Row[]> {
    const parts = await this.#readParts(documents);
    const rows = documents.map(async (document) => toRow(document, parts) ?? this.#readAgain(document.path));
    return (await Promise.all(rows)).filter((row) => row !== undefined);
  }

  /** The row was changed or removed before its parts were read. */
  async #readAgain(path: string): Promise<Row | undefined> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const document = (await this.#database.read([path])).get(path);
      const row = document && toRow(document, await this.#readParts([document]));
      if (document === undefined || row !== undefined) return row;
    }
    throw tooManyWriters();
  }

  async #readParts(documents: readonly StoredDocument[]): Promise<ReadonlyMap<string, StoredDocument>> {
    const paths = documents.flatMap(partPaths);
    return paths.length === 0 ? new Map() : this.#database.read(paths);
  }

  /** No key has a comma. */
  #pathOf(key: string): string {
    return `${this.#parent}/${this.#collection}/${key.replaceAll("/", ",")}`;
  }
}

interface RowContent {
  readonly key: string;
  readonly value: JsonObject | undefined;
  readonly json: string;
  readonly isInline: boolean;
  readonly before: Version | undefined;
}

function toDocuments(path: string, { key, value, json, isInline, before }: RowContent): RowDocuments {
  if (value === undefined) return { row: { kind: "delete", path, expect: before?.document }, parts: [] };
  // The name is a new one, so that no writer removes the parts of another one.
  const partsName = newContentId();
  const pieces = isInline ? [] : textPieces(json);
  const fields = {
    ...{ [KEY]: key, [LENGTH]: json.length, [COUNT]: pieces.length },
    ...(isInline ? { [JSON_TEXT]: json } : { [PARTS_NAME]: partsName }),
  };
  const parts = pieces.map((piece, index): DocumentWrite => {
    return { kind: "create", path: partPath(path, partsName, index), fields: { [JSON_TEXT]: piece } };
  });
  if (before === undefined) return { row: { kind: "create", path, fields }, parts };
  return { row: { kind: "update", path, fields, mask: [...HEAD, JSON_TEXT], expect: before.document }, parts };
}

function versionOf(document: StoredDocument): Version {
  return { document: document.version, parts: partPaths(document) };
}

/** Undefined if a part is missing. */
function toRow(document: StoredDocument, parts: ReadonlyMap<string, StoredDocument>): Row | undefined {
  const paths = partPaths(document);
  const pieces = paths.flatMap((path) => parts.get(path)?.fields[JSON_TEXT] ?? []);
  if (pieces.length < paths.length) return undefined;
  const json = paths.length === 0 ? String(document.fields[JSON_TEXT]) : pieces.join("");
  // Written by `commit` from a JsonObject.
  return { key: keyOf(document), version: versionOf(document), value: JSON.parse(json) as JsonObject };
}

function keyOf({ fields }: StoredDocument): string {
  return String(fields[KEY]);
}

function partPaths({ path, fields }: StoredDocument): readonly string[] {
  const count = Number(fields[COUNT] ?? 0);
  return Array.from({ length: count }, (_, index) => partPath(path, String(fields[PARTS_NAME]), index));
}

function partPath(path: string, name: string, index: number): string {
  return `${path}/parts/${name}-${index}`;
}

function bytesOf(write: DocumentWrite): number {
  return "fields" in write ? Buffer.byteLength(String(write.fields[JSON_TEXT] ?? "")) : 0;
}

/** A text in pieces that each fit into a document. */
function textPieces(text: string): readonly string[] {
  const found: string[] = [];
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + PIECE_LENGTH, text.length);
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
