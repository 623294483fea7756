import type { CollectionQuery, FirestoreDatabase, StoredDocument } from "../database/firestore-database.ts";

/** Thrown by a step that needs a document that has not been read yet: read it, then run the step again. */
export class MissingReads extends Error {
  readonly paths: readonly string[];
  readonly query: CollectionQuery | undefined;
  /** Paths of documents that never change. */
  readonly besidePaths: readonly string[];

  constructor(paths: readonly string[], query?: CollectionQuery, besidePaths: readonly string[] = []) {
    super("A step lacks documents.");
    this.paths = paths;
    this.query = query;
    this.besidePaths = besidePaths;
  }
}

/** The documents and queries that one operation has read. */
export class SessionReads {
  readonly #database: FirestoreDatabase;
  readonly #queries = new Map<string, readonly StoredDocument[]>();
  #paths: ReadonlySet<string> = new Set();
  #documents: ReadonlyMap<string, StoredDocument> = new Map();
  #beside: ReadonlyMap<string, StoredDocument> = new Map();

  constructor(database: FirestoreDatabase) {
    this.#database = database;
  }

  has(path: string): boolean {
    return this.#paths.has(path);
  }

  /** The document, or undefined if there is none. Throws `MissingReads`. */
  document(path: string): StoredDocument | undefined {
    if (!this.#paths.has(path)) throw new MissingReads([path]);
    return this.#documents.get(path);
  }

  /** The documents at several paths, which are read together. */
  documents(paths: readonly string[]): readonly (StoredDocument | undefined)[] {
    const missing = paths.filter((path) => !this.#paths.has(path));
    if (missing.length > 0) throw new MissingReads(missing);
    return paths.map((path) => this.#documents.get(path));
  }

  query(query: CollectionQuery): readonly StoredDocument[] {
    const found = this.#queries.get(JSON.stringify(query));
    if (found === undefined) throw new MissingReads([], query);
    return found;
  }

  /**
   * The query's results, and the existing ones of the documents at the paths, which never change: read at the same
   * time.
   */
  queryBeside(
    query: CollectionQuery,
    paths: readonly string[],
  ): { readonly documents: readonly StoredDocument[]; readonly found: readonly StoredDocument[] } {
    const found = this.#queries.get(JSON.stringify(query));
    if (found === undefined) throw new MissingReads([], query, paths);
    return { documents: paths.flatMap((path) => this.#beside.get(path) ?? []), found };
  }

  /**
   * Documents that were read before are read again with the new ones: a step decides on one consistent state of all of
   * them.
   */
  async load({ paths, query, besidePaths = [] }: Missing): Promise<void> {
    if (query !== undefined) {
      const [found, beside] = await Promise.all([
        this.#database.query(query),
        besidePaths.length === 0 ? NONE : this.#database.read(besidePaths),
      ]);
      this.#queries.set(JSON.stringify(query), found);
      this.#beside = beside;
    }
    if (paths.length === 0) return;
    const all = new Set([...this.#paths, ...paths]);
    this.#documents = await this.#database.read([...all]);
    this.#paths = all;
  }

  clear(): void {
    this.#paths = new Set();
    this.#documents = new Map();
    this.#queries.clear();
  }
}

type Missing = Pick<MissingReads, "paths" | "query"> & Partial<Pick<MissingReads, "besidePaths">>;

const NONE: ReadonlyMap<string, StoredDocument> = new Map();
