import { PlatformError } from "#kit/errors/platform-error.ts";
import type { KeyListing, KeyRecord, KeyStore } from "#kit/identity/key-store.ts";
import { DEFAULT_TENANT, inTenant, tenantOf } from "#kit/names/tenant.ts";
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
/** Absent for keys of the tenant `DEFAULT_TENANT`. */
const TENANT = "tenantId";
/** The store allows 500 writes in a commit. */
const MAX_WRITES = 400;
const MAX_ATTEMPTS = 5;
/** Keys of one request for those of `DEFAULT_TENANT`, between which may be many of other tenants. */
const MIN_READ = 300;

/** API keys in Firestore: `{root}/_identity/api-keys/{id}`. No app's document has a name that begins with `_`. */
export class FirestoreKeyStore implements KeyStore {
  readonly #database: FirestoreDatabase;
  readonly #parent: string;

  constructor({ database, root = DEFAULT_ROOT_COLLECTION }: FirestoreKeyStoreOptions) {
    this.#database = database;
    this.#parent = `${root}/_identity`;
  }

  async create(record: KeyRecord): Promise<void> {
    const { [TENANT]: tenantId } = inTenant(record.tenantId);
    const fields = { [KEY]: JSON.stringify(record), ...(tenantId !== undefined && { [TENANT]: tenantId }) };
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
    if (tenantId !== DEFAULT_TENANT) return this.#page({ after, limit, tenantId });
    // Firestore finds no documents by a field that they do not have.
    const found: KeyRecord[] = [];
    const readLimit = Math.max(limit, MIN_READ);
    for (let from = after; ; ) {
      const page = await this.#page({ after: from, limit: readLimit });
      found.push(...page.filter((record) => tenantOf(record) === DEFAULT_TENANT));
      if (found.length >= limit || page.length < readLimit) return found.slice(0, limit);
      from = page.at(-1)?.id;
    }
  }

  async #page({ after, limit, tenantId }: KeyListing): Promise<readonly KeyRecord[]> {
    const documents = await this.#database.query({
      parent: this.#parent,
      collection: COLLECTION,
      where: tenantId === undefined ? [] : [{ field: TENANT, op: "EQUAL", value: toWireValue(tenantId) }],
      orderBy: [[DOCUMENT_NAME, "ASCENDING"]],
      startAfter: after === undefined ? undefined : [this.#database.reference(this.#pathOf(after))],
      limit,
    });
    return documents.map(toRecord);
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
