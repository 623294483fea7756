import {
  type CollectionQuery,
  type DocumentVersion,
  type DocumentWrite,
  FirestoreDatabase,
  type FirestoreDatabaseOptions,
  type StoredDocument,
} from "#adapters/firestore/database/firestore-database.ts";

type Counts = Record<"reads" | "writes" | "deletes", number>;

/** Counts documents as Firestore bills them: a missing document and a query without results are one read. */
export class CountedDatabase extends FirestoreDatabase {
  readonly #counts: Counts;

  constructor({ counts, ...options }: FirestoreDatabaseOptions & { readonly counts: Counts }) {
    super(options);
    this.#counts = counts;
  }

  override read(paths: readonly string[], fields?: readonly string[]): Promise<ReadonlyMap<string, StoredDocument>> {
    this.#counts.reads += new Set(paths).size;
    return super.read(paths, fields);
  }

  override async query(query: CollectionQuery): Promise<readonly StoredDocument[]> {
    const found = await super.query(query);
    this.#counts.reads += Math.max(1, found.length);
    return found;
  }

  override async commit(writes: readonly DocumentWrite[]): Promise<readonly DocumentVersion[]> {
    const versions = await super.commit(writes);
    for (const { kind } of writes) this.#counts[kind === "delete" ? "deletes" : "writes"] += 1;
    return versions;
  }
}
