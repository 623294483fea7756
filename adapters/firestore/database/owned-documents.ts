import { unescapeSegment } from "#kit/names/identifiers.ts";
import { DEFAULT_TENANT } from "#kit/names/tenant.ts";
import type { DataOwner } from "#ports/tenants/data-owner.ts";
import type { DeleteDataRequest, DeleteDataResponse } from "#ports/tenants/tenant-data.ts";
import { DOCUMENT_NAME, type FieldFilter, type FirestoreDatabase, type StoredDocument } from "./firestore-database.ts";
import { tenantRoot, userPath } from "./user-paths.ts";

/** Sorts before every other id of a document. */
const FIRST_ID = "__id-9223372036854775808__";
/** The character after `_`. Ids that begin with `_` do not belong to apps. */
const AFTER_UNDERSCORE = "`";
const PAGE = 300;

/** The documents of a tenant, or of one of its users, in collections at any depth. */
export class OwnedDocuments {
  readonly #database: FirestoreDatabase;
  readonly #root: string;

  constructor(database: FirestoreDatabase, root: string) {
    this.#database = database;
    this.#root = root;
  }

  /**
   * The documents of all collections of that name, in the order of their paths, after a path. Only those of the user if
   * the owner has one, in the collections of the users' documents.
   */
  async *inCollections(
    owner: DataOwner,
    collection: string,
    { after, select, pageSize = PAGE }: OwnedOptions = {},
  ): AsyncGenerator<StoredDocument, void, undefined> {
    const { userId } = owner;
    if (userId === undefined) {
      for (const range of this.#appRanges(owner))
        yield* this.#inRange(range, { collection, after, select, limit: pageSize });
      return;
    }
    for await (const parent of this.users({ ...owner, userId })) {
      const ofUser = `${parent}/${collection}`;
      const range: Range = [`${ofUser}/${FIRST_ID}`, `${ofUser}\0/${FIRST_ID}`];
      yield* this.#inRange(range, { collection, after, select, limit: pageSize });
    }
  }

  /**
   * The first documents of all collections of that name in and below a collection, after a path. Without their fields, if
   * none are named.
   */
  firstBelow(
    place: string,
    collection: string,
    { after, select = [DOCUMENT_NAME], limit }: Omit<RangeQuery, "collection">,
  ): Promise<readonly StoredDocument[]> {
    return this.#page(rangeOf(place), { collection, after, select, limit });
  }

  /** The next documents of all collections of that name, of all tenants, after a path. */
  firstOfAll(collection: string, query: Omit<RangeQuery, "collection">): Promise<readonly StoredDocument[]> {
    return this.firstBelow(this.#root, collection, query);
  }

  /** Deletes some of the documents of the whole tenant, of whatever collection. */
  async deleteTenant({ limit, ...owner }: DeleteDataRequest): Promise<DeleteDataResponse> {
    let deleted = 0;
    for (const range of this.#allRanges(owner)) {
      const query = { collection: "", after: undefined, select: [DOCUMENT_NAME], limit: Math.min(limit, PAGE) };
      for (let page = await this.#page(range, query); page.length > 0; page = await this.#page(range, query)) {
        await this.delete(page);
        deleted += page.length;
        if (deleted >= limit) return { deleted, isDone: false };
      }
    }
    return { deleted, isDone: true };
  }

  async delete(documents: readonly StoredDocument[]): Promise<void> {
    if (documents.length > 0)
      await this.#database.commit(documents.map(({ path }) => ({ kind: "delete", path }) as const));
  }

  /** The user's documents, one in each app that has any data. They need not exist themselves. */
  async *users(owner: Required<DataOwner>): AsyncGenerator<string, void, undefined> {
    const root = tenantRoot(this.#root, owner.tenantId);
    for (const [first, end] of this.#appRanges(owner)) {
      for (let from = first; ; ) {
        const [found] = await this.#page([from, end], {
          collection: "",
          after: undefined,
          select: [DOCUMENT_NAME],
          limit: 1,
        });
        const segment = found?.path.slice(root.length + 1).split("/", 1)[0];
        if (segment === undefined) break;
        const appName = unescapeSegment(segment);
        if (appName !== undefined) yield userPath(this.#root, { ...owner, appName });
        // Continues after all documents of this app.
        from = `${root}/${segment}\0`;
      }
    }
  }

  /** The ranges of all documents of the tenant. */
  #allRanges(owner: DataOwner): readonly Range[] {
    const root = tenantRoot(this.#root, owner.tenantId);
    if (owner.tenantId !== DEFAULT_TENANT) return [rangeOf(root)];
    // Besides the apps, and not all of `_`, which also contains other tenants.
    return [...this.#appRanges(owner), rangeOf(`${root}/_/runs`), rangeOf(`${root}/_/stored`)];
  }

  /** The ranges of the documents of apps. */
  #appRanges({ tenantId }: DataOwner): readonly Range[] {
    const root = tenantRoot(this.#root, tenantId);
    const [first, end] = rangeOf(root);
    return [
      [first, `${root}/_`],
      [`${root}/${AFTER_UNDERSCORE}`, end],
    ];
  }

  async *#inRange(range: Range, query: RangeQuery): AsyncGenerator<StoredDocument, void, undefined> {
    // The page before has ended in a later range.
    if (query.after !== undefined && isAfterPath(query.after, range[1])) return;
    for (let { after } = query; ; ) {
      const page = await this.#page(range, { ...query, after });
      yield* page;
      if (page.length < query.limit) return;
      after = page.at(-1)?.path;
    }
  }

  #page([first, end]: Range, { collection, after, select, limit }: RangeQuery): Promise<readonly StoredDocument[]> {
    const reference = (path: string) => this.#database.reference(path);
    const where: FieldFilter[] = [
      { field: DOCUMENT_NAME, op: "GREATER_THAN_OR_EQUAL", value: reference(first) },
      { field: DOCUMENT_NAME, op: "LESS_THAN", value: reference(end) },
    ];
    return this.#database.query({
      parent: "",
      collection,
      allDescendants: true,
      where,
      orderBy: [[DOCUMENT_NAME, "ASCENDING"]],
      startAfter: after !== undefined && isAfterPath(after, first) ? [reference(after)] : undefined,
      limit,
      select,
    });
  }
}

/** From a path up to, and without, another one. */
type Range = readonly [first: string, end: string];

interface RangeQuery {
  readonly collection: string;
  readonly after?: string | undefined;
  readonly select?: readonly string[] | undefined;
  readonly limit: number;
}

interface OwnedOptions {
  readonly after?: string | undefined;
  readonly select?: readonly string[];
  /** How many documents one query reads. */
  readonly pageSize?: number;
}

/** As the store orders documents: by the bytes of each part of their paths. */
function isAfterPath(path: string, other: string): boolean {
  const others = other.split("/");
  for (const [index, part] of path.split("/").entries()) {
    const order = Buffer.compare(Buffer.from(part), Buffer.from(others[index] ?? ""));
    // Ids of the form of FIRST_ID are before all others.
    if (others[index] === FIRST_ID) return true;
    if (order !== 0) return order > 0;
  }
  return false;
}

/** Everything in and below a collection. */
function rangeOf(collection: string): Range {
  return [`${collection}/${FIRST_ID}`, `${collection}\0/${FIRST_ID}`];
}
