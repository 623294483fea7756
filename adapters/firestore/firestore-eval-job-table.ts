import type {
  EvalJobRow,
  EvalJobRowPage,
  EvalJobTable,
  RowRange,
  RowWrite,
} from "#kit/evaluation/jobs/eval-job-table.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { DocumentWrite, FirestoreDatabase, StoredDocument } from "./database/firestore-database.ts";
import { LostPreconditionError } from "./database/firestore-errors.ts";
import { toWireValue } from "./database/firestore-values.ts";
import { DEFAULT_ROOT_COLLECTION } from "./database/user-paths.ts";
import { joinText, PART_FIELDS, partPaths, splitText, TEXT_FIELD } from "./long-text.ts";
import { splitBySize } from "./sessions/session-commits.ts";

export interface FirestoreEvalJobTableOptions {
  readonly database: FirestoreDatabase;
  /** The collection of all of this platform's data; `fairlead` when absent. */
  readonly root?: string | undefined;
}

const COLLECTION = "eval-jobs";
const KEY_FIELD = "key";
const ROWS_TOGETHER = 50;

/**
 * Rows of jobs in Firestore: `{root}/_evaluations/eval-jobs/{key}`. Rows over the limit of a document continue in
 * documents below it, which are written before the row that names them. No app's document has a name that begins with `_`.
 */
export class FirestoreEvalJobTable implements EvalJobTable {
  readonly #database: FirestoreDatabase;
  readonly #parent: string;

  constructor({ database, root = DEFAULT_ROOT_COLLECTION }: FirestoreEvalJobTableOptions) {
    this.#database = database;
    this.#parent = `${root}/_evaluations`;
  }

  async read(keys: readonly string[]): Promise<ReadonlyMap<string, EvalJobRow>> {
    if (keys.length === 0) return new Map();
    const documents = await this.#database.read(keys.map((key) => this.#pathOf(key)));
    const rows = await this.#toRows([...documents.values()]);
    return new Map(rows.map((row) => [row.key, row]));
  }

  /** Reads a few rows at a time. */
  async page(range: RowRange, maxCharacters: number): Promise<EvalJobRowPage> {
    const rows: EvalJobRow[] = [];
    let characters = 0;
    for (let after = range.after; ; after = rows.at(-1)?.key) {
      const limit = Math.min(ROWS_TOGETHER, range.limit - rows.length);
      const found = await this.list({ ...range, after, limit });
      rows.push(...found);
      for (const { value } of found) characters += JSON.stringify(value).length;
      if (found.length < limit) return { rows, hasMore: false };
      if (rows.length === range.limit || characters >= maxCharacters) return { rows, hasMore: true };
    }
  }

  async list({ prefix, after, limit, descending = false }: RowRange): Promise<readonly EvalJobRow[]> {
    const documents = await this.#database.query({
      parent: this.#parent,
      collection: COLLECTION,
      where: [
        { field: KEY_FIELD, op: "GREATER_THAN", value: toWireValue(prefix) },
        { field: KEY_FIELD, op: "LESS_THAN_OR_EQUAL", value: toWireValue(`${prefix}\u{10ffff}`) },
      ],
      // Documents cannot be read backwards by their names.
      orderBy: [[KEY_FIELD, descending ? "DESCENDING" : "ASCENDING"]],
      startAfter: after === undefined ? undefined : [toWireValue(after)],
      limit,
    });
    return this.#toRows(documents);
  }

  async commit(writes: readonly RowWrite[]): Promise<boolean> {
    const removed = writes.filter(({ value }) => value === undefined).map(({ key }) => this.#pathOf(key));
    const before = removed.length === 0 ? [] : [...(await this.#database.read(removed, [...PART_FIELDS])).values()];
    const converted = writes.map((write) => this.#toWrites(write));
    // The parts that rows name are written before the rows, and removed after them.
    await this.#commitAll(converted.flatMap(({ parts }) => parts));
    try {
      await this.#database.commit(converted.map(({ row }) => row));
    } catch (error) {
      if (error instanceof LostPreconditionError) return false;
      throw error;
    }
    await this.#commitAll(before.flatMap(partPaths).map((path) => ({ kind: "delete", path })));
    return true;
  }

  async #commitAll(writes: readonly DocumentWrite[]): Promise<void> {
    for (const some of splitBySize(writes, bytesOf)) await this.#database.commit(some);
  }

  #toWrites({ key, value, expect }: RowWrite): RowDocuments {
    const path = this.#pathOf(key);
    if (value === undefined) {
      if (expect === "missing") throw new TypeError("A row that is missing cannot be removed.");
      // Versions come from this table, so they have its type.
      return {
        row: { kind: "delete", path, expect: expect as object | undefined },
        parts: [],
      };
    }
    const { fields: text, parts } = splitText(path, JSON.stringify(value));
    const fields = { ...text, [KEY_FIELD]: key };
    if (expect === "missing") return { row: { kind: "create", path, fields }, parts };
    const mask = [KEY_FIELD, TEXT_FIELD, ...PART_FIELDS];
    // The version comes from this table, too.
    return {
      row: { kind: "update", path, fields, mask, expect: expect as object | undefined },
      parts,
    };
  }

  async #toRows(documents: readonly StoredDocument[]): Promise<readonly EvalJobRow[]> {
    const paths = documents.flatMap(partPaths);
    const parts = paths.length === 0 ? new Map<string, StoredDocument>() : await this.#database.read(paths);
    return documents.map((document) => ({
      key: String(document.fields[KEY_FIELD]),
      version: document.version,
      // Written by `commit` from a JsonObject.
      value: JSON.parse(joinText(document, parts)) as JsonObject,
    }));
  }

  /** Keys have no comma, because their parts are escaped. */
  #pathOf(key: string): string {
    return `${this.#parent}/${COLLECTION}/${key.replaceAll("/", ",")}`;
  }
}

interface RowDocuments {
  readonly row: DocumentWrite;
  readonly parts: readonly DocumentWrite[];
}

function bytesOf(write: DocumentWrite): number {
  return "fields" in write ? Buffer.byteLength(String(write.fields[TEXT_FIELD] ?? "")) : 0;
}
