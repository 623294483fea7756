import { PlatformError } from "#kit/errors/platform-error.ts";
import type { KeyListing, KeyRecord, KeyStore } from "#kit/identity/key-store.ts";
import { tenantOf } from "#kit/names/tenant.ts";
import { lazy } from "#kit/platform/lazy.ts";
import { type DataOwner, isOwned } from "#kit/tenants/data-owner.ts";
import {
  DOCUMENT_NAME,
  type DocumentWrite,
  type FirestoreDatabase,
  type StoredDocument,
} from "./database/firestore-database.ts";
import { LostPreconditionError } from "./database/firestore-errors.ts";
import { toWireValue } from "./database/firestore-values.ts";
import { DEFAULT_ROOT_COLLECTION } from "./database/user-paths.ts";

export interface FirestoreKeyStoreOptions {
  readonly database: FirestoreDatabase;
  /** The collection of all of this platform's data; `fairlead` when absent. */
  readonly root?: string | undefined;
}

const COLLECTION = "api-keys";
/** The key as JSON, without the two members that change. */
const KEY = "key";
const LAST_USED = "lastUsedAtMs";
const REVOKED = "revokedAtMs";
/** The field by which the keys of one tenant are found. Earlier versions wrote it for some keys only. */
const TENANT = "tenantId";
/** The field of the parent document with the last key up to which all have a tenant. */
const COMPLETE_TO = "keysWithTenantTo";
/** The store allows 500 writes in a commit. */
const MAX_WRITES = 400;
const MAX_ATTEMPTS = 5;

/** API keys in Firestore: `{root}/_identity/api-keys/{id}`. No app's document has a name that begins with `_`. */
export class FirestoreKeyStore implements KeyStore {
  readonly #database: FirestoreDatabase;
  readonly #parent: string;
  readonly #completed: () => Promise<void>;

  constructor({ database, root = DEFAULT_ROOT_COLLECTION }: FirestoreKeyStoreOptions) {
    this.#database = database;
    this.#parent = `${root}/_identity`;
    this.#completed = lazy(() => this.#completeTenants());
  }

  async create(record: KeyRecord): Promise<void> {
    const fields = { [KEY]: JSON.stringify(record), [TENANT]: tenantOf(record) };
    try {
      await this.#database.commit([{ kind: "create", path: this.#pathOf(record.id), fields }]);
    } catch (error) {
      if (!(error instanceof LostPreconditionError)) throw error;
      throw new PlatformError("INTERNAL", "There is a key with this id already.", { cause: error });
    }
  }

  async get(id: string): Promise<KeyRecord | undefined> {
    const found = await this.#read([id]);
    return found.map(toRecord).at(0);
  }

  async list({ after, limit, tenantId }: KeyListing): Promise<readonly KeyRecord[]> {
    if (tenantId !== undefined) await this.#completed();
    return (await this.#page({ after, limit, tenantId })).map(toRecord);
  }

  #page({ after, limit, tenantId }: KeyListing): Promise<readonly StoredDocument[]> {
    return this.#database.query({
      parent: this.#parent,
      collection: COLLECTION,
      where: tenantId === undefined ? [] : [{ field: TENANT, op: "EQUAL", value: toWireValue(tenantId) }],
      orderBy: [[DOCUMENT_NAME, "ASCENDING"]],
      startAfter: after === undefined ? undefined : [this.#database.reference(this.#pathOf(after))],
      limit,
    });
  }

  /**
   * Gives a tenant to the keys of earlier versions. A process does it once, for the keys since the last process that has
   * done it: until the last process of an earlier version has ended, new keys without a tenant may be added.
   */
  async #completeTenants(): Promise<void> {
    const known = (await this.#database.read([this.#parent])).get(this.#parent)?.fields[COMPLETE_TO];
    const start = typeof known === "string" ? known : undefined;
    let last = start;
    for (let page: readonly StoredDocument[] | undefined; page === undefined || page.length === MAX_WRITES; ) {
      page = await this.#page({ after: last, limit: MAX_WRITES });
      const writes = page.filter(({ fields }) => fields[TENANT] === undefined).map(tenantWrite);
      await this.#commit(writes);
      last = page.at(-1)?.path.slice(`${this.#parent}/${COLLECTION}/`.length) ?? last;
    }
    if (last === start) return;
    const fields = { [COMPLETE_TO]: last };
    await this.#commit([{ kind: "update", path: this.#parent, fields, mask: [COMPLETE_TO] }]);
  }

  async #commit(writes: readonly DocumentWrite[]): Promise<void> {
    try {
      if (writes.length > 0) await this.#database.commit(writes);
    } catch (error) {
      throw toStoreError(error);
    }
  }

  async revoke(id: string, revokedAtMs: number): Promise<KeyRecord | undefined> {
    let revoked: KeyRecord | undefined;
    await this.#change([id], (document) => {
      revoked = { revokedAtMs, ...toRecord(document) };
      return document.fields[REVOKED] === undefined ? { [REVOKED]: revokedAtMs } : undefined;
    });
    return revoked;
  }

  async recordUses(lastUsedAtMs: ReadonlyMap<string, number>): Promise<void> {
    const ids = [...lastUsedAtMs.keys()];
    for (let start = 0; start < ids.length; start += MAX_WRITES) {
      await this.#change(ids.slice(start, start + MAX_WRITES), (document) => {
        const usedAtMs = lastUsedAtMs.get(idOf(document)) ?? 0;
        return usedAtMs > Number(document.fields[LAST_USED] ?? 0) ? { [LAST_USED]: usedAtMs } : undefined;
      });
    }
  }

  async deleteOf(owner: DataOwner, limit: number): Promise<readonly string[]> {
    const { tenantId } = owner;
    await this.#completed();
    const ids: string[] = [];
    for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
      const page = await this.#page({ after, limit: MAX_WRITES, tenantId });
      const own = page.filter((document) => isOwned(owner, toRecord(document))).slice(0, limit - ids.length);
      await this.#commit(own.map(({ path }) => ({ kind: "delete", path })));
      ids.push(...own.map(idOf));
      after = page.length === MAX_WRITES && ids.length < limit ? page.map(idOf).at(-1) : undefined;
    }
    return ids;
  }

  /** Sets the fields that `decide` returns, on the documents as they were read; repeats that if another writer was faster. */
  async #change(
    ids: readonly string[],
    decide: (document: StoredDocument) => Readonly<Record<string, number>> | undefined,
  ): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const writes = (await this.#read(ids)).flatMap((document): DocumentWrite[] => {
        const fields = decide(document);
        if (fields === undefined) return [];
        return [{ kind: "update", path: document.path, fields, mask: Object.keys(fields), expect: document.version }];
      });
      try {
        if (writes.length > 0) await this.#database.commit(writes);
        return;
      } catch (error) {
        if (!(error instanceof LostPreconditionError) || attempt === MAX_ATTEMPTS) throw toStoreError(error);
      }
    }
  }

  async #read(ids: readonly string[]): Promise<readonly StoredDocument[]> {
    return [...(await this.#database.read(ids.map((id) => this.#pathOf(id)))).values()];
  }

  #pathOf(id: string): string {
    return `${this.#parent}/${COLLECTION}/${id}`;
  }
}

/** The tenant of a key never changes. */
function tenantWrite(document: StoredDocument): DocumentWrite {
  const fields = { [TENANT]: tenantOf(toRecord(document)) };
  return { kind: "update", path: document.path, fields, mask: [TENANT], expect: "exists" };
}

function toStoreError(error: unknown): unknown {
  if (!(error instanceof LostPreconditionError)) return error;
  return new PlatformError("STORE_UNAVAILABLE", "Other writers changed this key at the same time. Try again.", {
    cause: error,
  });
}

function idOf({ path }: StoredDocument): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function toRecord({ fields }: StoredDocument): KeyRecord {
  const { [LAST_USED]: lastUsedAtMs, [REVOKED]: revokedAtMs } = fields;
  return {
    // Written by `create` from a KeyRecord.
    ...(JSON.parse(String(fields[KEY])) as KeyRecord),
    ...(typeof lastUsedAtMs === "number" && { lastUsedAtMs }),
    ...(typeof revokedAtMs === "number" && { revokedAtMs }),
  };
}
