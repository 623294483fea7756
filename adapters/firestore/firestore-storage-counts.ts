import { PlatformError } from "#kit/errors/platform-error.ts";
import { type Sleep, sleep } from "#kit/platform/sleep.ts";
import {
  assertRoomFor,
  type MeteredAmounts,
  type MeteredStore,
  NOTHING_METERED,
  negative,
  scopesOf,
  sumOf,
} from "#ports/storage-limits/metered-amounts.ts";
import {
  type MeteredKind,
  NO_STORAGE_LIMITS,
  STORAGE_SCOPES,
  type StorageCount,
  type StorageLimits,
  type StorageOwner,
  type StorageScope,
  storageCount,
} from "#ports/storage-limits/storage-limits.ts";
import type { DataOwner } from "#ports/tenants/data-owner.ts";
import type { DocumentWrite, FirestoreDatabase, StoredDocument } from "./database/firestore-database.ts";
import { LostPreconditionError } from "./database/firestore-errors.ts";
import { SessionPaths } from "./sessions/session-paths.ts";

export interface FirestoreStorageCountsOptions {
  readonly database: FirestoreDatabase;
  readonly root: string | undefined;
  readonly kind: MeteredKind;
  /** Nothing is counted if absent. */
  readonly limits: StorageLimits | undefined;
  /** Bytes of content in the fields of a document; undefined if it has none, and is then not counted. */
  readonly bytesOf: (fields: Readonly<Record<string, unknown>>) => number | undefined;
  readonly sleep?: Sleep | undefined;
}

/** Changes of documents of one owner that one commit makes. */
export interface CountedChange {
  readonly owner: StorageOwner;
  readonly writes: readonly DocumentWrite[];
  /** The documents that the writes replace or delete. The writes expect their versions. */
  readonly replaced: readonly StoredDocument[];
}

interface CountedDeletion {
  readonly owner: StorageOwner;
  readonly documents: StoredDocument[];
}

/**
 * The scopes whose counts include a document. Data that was written before there was a limit is in no count, and its
 * deletion changes none.
 */
const COUNTED_FIELD = "countedIn";
const MAX_ATTEMPTS = 50;
const MAX_PAUSE_MS = 100;

/** Counts what documents contain, by additions in the commit that writes them. */
export class FirestoreStorageCounts implements MeteredStore {
  readonly #options: FirestoreStorageCountsOptions;
  readonly #limits: StorageLimits;
  readonly #paths: SessionPaths;

  constructor(options: FirestoreStorageCountsOptions) {
    this.#options = options;
    this.#limits = options.limits ?? NO_STORAGE_LIMITS;
    this.#paths = new SessionPaths(options.root);
  }

  /**
   * Whether limits were given. If so, deleted documents that were counted are subtracted, even while no limit applies.
   */
  get isCounting(): boolean {
    return this.#options.limits !== undefined;
  }

  /**
   * The writes together with those of the counts. Throws `QUOTA_EXCEEDED` if there is no room. The commit loses a
   * precondition if a limited count has changed by then.
   */
  async counted({ owner, writes, replaced }: CountedChange): Promise<readonly DocumentWrite[]> {
    if (!this.isCounting) return writes;
    const { kind, database, bytesOf } = this.#options;
    const scopes = scopesOf(this.#limits.counted, owner);
    const added = writes.map((write) => sizeOf("fields" in write ? bytesOf(write.fields) : undefined));
    const changeOf = (scope: StorageScope): MeteredAmounts => {
      const gone = replaced.filter(({ fields }) => scopesIn(fields[COUNTED_FIELD]).includes(scope));
      const more = scopes.includes(scope) ? added : [];
      return [...more, ...gone.map(({ fields }) => negative(sizeOf(bytesOf(fields))))].reduce(sumOf, NOTHING_METERED);
    };
    const changes = STORAGE_SCOPES.map((scope) => ({ scope, change: changeOf(scope) })).filter(
      ({ change }) => change.items !== 0 || change.bytes !== 0,
    );
    const pathOf = (scope: StorageScope): string => this.#paths.metered(kind, storageCount(scope, owner));
    const grows = changes.some(({ change }) => change.items > 0 || change.bytes > 0);
    const documents = grows ? await database.read(changes.map(({ scope }) => pathOf(scope))) : new Map();
    assertRoomFor({ kind, limits: this.#limits, owner, changeOf }, ({ scope }) =>
      amountsOf(documents.get(pathOf(scope))),
    );
    return [
      ...writes.map((write) => marked(write, scopes, bytesOf)),
      ...changes.map(({ scope, change }): DocumentWrite => {
        const path = pathOf(scope);
        const isChecked = grows && scopes.includes(scope);
        const expect = documents.get(path)?.version ?? "missing";
        return { kind: "add", path, amounts: { ...change }, expect: isChecked ? expect : undefined };
      }),
    ];
  }

  /**
   * Deletes documents of any number of owners, at most 400, and releases what they count. Commits once for each owner.
   * Throws `LostPreconditionError` if a document has changed.
   */
  async delete(
    documents: readonly StoredDocument[],
    ownerOf: (document: StoredDocument) => StorageOwner,
  ): Promise<void> {
    const owned = new Map<string, CountedDeletion>();
    for (const document of documents) {
      const owner = ownerOf(document);
      const key = JSON.stringify([owner.appName, owner.userId]);
      const deletion = owned.get(key) ?? { owner, documents: [] };
      owned.set(key, deletion);
      deletion.documents.push(document);
    }
    for (const { owner, documents: replaced } of owned.values()) {
      const writes = replaced.map(({ path, version }) => ({ kind: "delete", path, expect: version }) as const);
      await this.#options.database.commit(await this.counted({ owner, writes, replaced }));
    }
  }

  /** Removes the count that has the user's name, after all of the user's data. */
  async forgetUser({ tenantId, userId }: DataOwner): Promise<void> {
    if (!this.isCounting || userId === undefined) return;
    const count: StorageCount = { tenantId, scope: "user", name: userId };
    const path = this.#paths.metered(this.#options.kind, count);
    await this.#options.database.commit([{ kind: "delete", path }]);
  }

  /** Reads, decides and writes; repeats that if another writer was faster. */
  async decide(attempt: () => Promise<void>): Promise<void> {
    const { sleep: pause = sleep } = this.#options;
    for (let count = 1; count <= MAX_ATTEMPTS; count += 1) {
      try {
        return await attempt();
      } catch (error) {
        if (!(error instanceof LostPreconditionError)) throw error;
        await pause(Math.random() * Math.min(MAX_PAUSE_MS, 2 ** count));
      }
    }
    throw new PlatformError("STORE_UNAVAILABLE", "Too many concurrent writers changed the same data. Try again.");
  }

  async readStored(counts: readonly StorageCount[]): Promise<readonly MeteredAmounts[]> {
    if (counts.length === 0) return [];
    const paths = counts.map((count) => this.#paths.metered(this.#options.kind, count));
    const documents = await this.#options.database.read([...new Set(paths)]);
    return paths.map((path) => amountsOf(documents.get(path)));
  }
}

function marked(
  write: DocumentWrite,
  scopes: readonly StorageScope[],
  bytesOf: FirestoreStorageCountsOptions["bytesOf"],
): DocumentWrite {
  if (!("fields" in write) || bytesOf(write.fields) === undefined) return write;
  const fields = { ...write.fields, [COUNTED_FIELD]: [...scopes] };
  return write.kind === "update" ? { ...write, fields, mask: [...write.mask, COUNTED_FIELD] } : { ...write, fields };
}

function sizeOf(bytes: number | undefined): MeteredAmounts {
  return bytes === undefined ? NOTHING_METERED : { items: 1, bytes };
}

function scopesIn(field: unknown): readonly unknown[] {
  return Array.isArray(field) ? field : [];
}

function amountsOf(document: StoredDocument | undefined): MeteredAmounts {
  const { items = 0, bytes = 0 } = document?.fields ?? {};
  return { items: Number(items), bytes: Number(bytes) };
}
