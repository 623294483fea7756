import { createHash } from "node:crypto";
import type { AuthCredential } from "#kit/credentials/auth-credential.ts";
import type { CredentialDirectory, CredentialSummary, CredentialUser } from "#kit/credentials/credential-directory.ts";
import {
  assertCredentialName,
  assertCredentialUser,
  assertRoomForCredential,
  credentialNameText,
  inListedOrder,
  mostEntriesOf,
} from "#kit/credentials/credential-rules.ts";
import type { CredentialSealer } from "#kit/credentials/credential-sealer.ts";
import type { CredentialOwner, CredentialService, StoredCredential } from "#kit/credentials/credential-service.ts";
import type { SealedCredential, SealedCredentials, SealedPage } from "#kit/credentials/sealed-credentials.ts";
import { newRecordVersion } from "#kit/encryption/random-bytes.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { escapeSegment, unescapeSegment } from "#kit/names/identifiers.ts";
import { DEFAULT_TENANT, tenantOf } from "#kit/names/tenant.ts";
import type { Clock } from "#kit/platform/clock.ts";
import { assertDataOwner } from "#kit/tenants/data-owner.ts";
import type { DeletableData, DeleteDataRequest, DeleteDataResponse } from "#kit/tenants/tenant-data.ts";
import {
  type CollectionQuery,
  DOCUMENT_NAME,
  type DocumentWrite,
  type FirestoreDatabase,
  type StoredDocument,
} from "./database/firestore-database.ts";
import { LostPreconditionError } from "./database/firestore-errors.ts";
import { type DocumentFields, toWireValue } from "./database/firestore-values.ts";
import { OwnedDocuments } from "./database/owned-documents.ts";
import { DEFAULT_ROOT_COLLECTION, tenantRoot } from "./database/user-paths.ts";

export interface FirestoreCredentialServiceOptions {
  readonly database: FirestoreDatabase;
  /** The collection of all of this platform's data; `fairlead` when absent. */
  readonly root?: string | undefined;
  readonly clock: Clock;
  readonly sealer: CredentialSealer;
  /** The most credentials of one user; 1,000 if absent. */
  readonly maxPerUser?: number;
}

interface PageOptions extends Pick<CollectionQuery, "where" | "select"> {
  /** The path before the page. */
  readonly after?: string | undefined;
  readonly limit: number;
}

const COLLECTION = "credentials";
const APP_NAME = "appName";
/** All fields but the sealed credential. */
const LISTED = [APP_NAME, "credentialKey", "authType", "createdTime", "updatedTime"];
/** How many credentials one query lists. */
const PAGE = 500;
const MAX_ATTEMPTS = 5;
/** The store allows 500 writes in a commit. */
const MAX_DELETIONS = 400;

/**
 * Credentials in Firestore, sealed: `{root of the tenant}/_credentials/users/{user}/credentials/{digest of app and key}`.
 * No app's document has a name that begins with `_`.
 */
export class FirestoreCredentialService
  implements CredentialService, CredentialDirectory, SealedCredentials, DeletableData
{
  readonly #options: FirestoreCredentialServiceOptions;

  constructor(options: FirestoreCredentialServiceOptions) {
    this.#options = options;
  }

  async loadCredential(owner: CredentialOwner, credentialKey: string): Promise<StoredCredential | undefined> {
    assertCredentialName(owner, credentialKey);
    const document = await this.#read(this.#pathOf(owner, credentialKey));
    if (document === undefined) return undefined;
    const { sealer } = this.#options;
    const version = versionOf(document);
    const sealed = String(document.fields["sealed"]);
    const place = { owner, credentialKey, version };
    const credential = sealer.open(sealed, place);
    const renewed = sealer.renewed(sealed, credential, place);
    if (renewed !== undefined) await this.#renew(document, renewed);
    return { credential, version };
  }

  /** Keeps the credential's version, because its content has not changed. */
  async #renew({ path, version: expect }: StoredDocument, sealed: string): Promise<void> {
    try {
      await this.#options.database.commit([{ kind: "update", path, fields: { sealed }, mask: ["sealed"], expect }]);
    } catch {
      // Either the credential has changed meanwhile, or the write has failed. It can be read nevertheless, and the next
      // call that loads it tries again.
    }
  }

  async saveCredential(
    owner: CredentialOwner,
    credentialKey: string,
    credential: AuthCredential,
    ifVersion?: number,
  ): Promise<number | undefined> {
    assertCredentialName(owner, credentialKey);
    const version = newRecordVersion();
    const sealed = this.#options.sealer.seal(credential, { owner, credentialKey, version });
    const names = { [APP_NAME]: owner.appName, credentialKey };
    await this.#assertRoom(owner, credentialKey);
    const updatedTime = this.#options.clock.now();
    const isSaved = await this.#change(this.#pathOf(owner, credentialKey), ifVersion, (earlier, path) => {
      const createdTime = earlier?.fields["createdTime"] ?? updatedTime;
      const fields = { ...names, authType: credential.authType, version, sealed, createdTime, updatedTime };
      return saving(path, fields, ifVersion === undefined ? "any" : earlier);
    });
    return isSaved ? version : undefined;
  }

  async deleteCredential(owner: CredentialOwner, credentialKey: string, ifVersion?: number): Promise<void> {
    assertCredentialName(owner, credentialKey);
    await this.#change(this.#pathOf(owner, credentialKey), ifVersion, (earlier, path) => {
      if (earlier === undefined) return undefined;
      return { kind: "delete", path, expect: ifVersion === undefined ? undefined : earlier.version };
    });
  }

  async listCredentials(user: CredentialUser): Promise<readonly CredentialSummary[]> {
    assertCredentialUser(user);
    const { appName } = user;
    const documents: StoredDocument[] = [];
    for (let after: string | undefined; ; after = documents.at(-1)?.path) {
      const page = await this.#page(user, {
        ...{ select: LISTED, limit: PAGE, after },
        where: appName === undefined ? [] : [{ field: APP_NAME, op: "EQUAL", value: toWireValue(appName) }],
      });
      documents.push(...page);
      if (page.length < PAGE) break;
    }
    return inListedOrder(documents.map(toSummary));
  }

  /** In the order of paths. */
  async listSealed({ after, limit }: SealedPage): Promise<readonly SealedCredential[]> {
    const { database, root = DEFAULT_ROOT_COLLECTION, sealer } = this.#options;
    const documents = await new OwnedDocuments(database, root).firstBelow(root, COLLECTION, {
      limit,
      after: after && this.#pathOf(after.owner, after.credentialKey),
      select: [APP_NAME, "credentialKey", "sealed"],
    });
    return documents.map(({ path, fields }) => ({
      owner: { ...userOfPath(path.slice(root.length + 1)), appName: String(fields[APP_NAME]) },
      credentialKey: String(fields["credentialKey"]),
      ...sealer.sealedWith(String(fields["sealed"])),
    }));
  }

  /** Credentials that are saved at the same time may exceed the limit by a few. */
  async #assertRoom(owner: CredentialOwner, credentialKey: string): Promise<void> {
    if ((await this.#read(this.#pathOf(owner, credentialKey))) !== undefined) return;
    const { maxPerUser } = this.#options;
    const user = { tenantId: tenantOf(owner), userId: owner.userId };
    const kept = await this.#page(user, { select: ["credentialKey"], limit: mostEntriesOf(maxPerUser) });
    assertRoomForCredential(credentialKey, kept.map(toSummary), maxPerUser);
  }

  /** Some of the user's documents, in the order of their paths. */
  #page(user: CredentialUser, { after, where = [], select, limit }: PageOptions): Promise<readonly StoredDocument[]> {
    const { database } = this.#options;
    return database.query({
      parent: this.#parentOf(user),
      collection: COLLECTION,
      ...{ where, select, limit },
      orderBy: [[DOCUMENT_NAME, "ASCENDING"]],
      startAfter: after === undefined ? undefined : [database.reference(after)],
    });
  }

  async deleteData({ limit, ...owner }: DeleteDataRequest): Promise<DeleteDataResponse> {
    assertDataOwner(owner);
    const { database, root = DEFAULT_ROOT_COLLECTION } = this.#options;
    const { tenantId, userId } = owner;
    const users = `${tenantRoot(root, tenantId)}/_credentials/users`;
    const place = userId === undefined ? users : `${this.#parentOf({ tenantId, userId })}/${COLLECTION}`;
    const most = Math.min(limit, MAX_DELETIONS);
    const documents = new OwnedDocuments(database, root);
    const page = await documents.firstBelow(place, COLLECTION, { limit: most });
    await documents.delete(page);
    return { deleted: page.length, isDone: page.length < most };
  }

  /**
   * Makes the write that `decide` returns for the document as it was read; repeats that if another writer was faster.
   * Returns false if the document has another version than `ifVersion`.
   */
  async #change(
    path: string,
    ifVersion: number | undefined,
    decide: (earlier: StoredDocument | undefined, path: string) => DocumentWrite | undefined,
  ): Promise<boolean> {
    for (let attempt = 1; ; attempt += 1) {
      const earlier = await this.#read(path);
      if (ifVersion !== undefined && ifVersion !== (earlier === undefined ? 0 : versionOf(earlier))) return false;
      const write = decide(earlier, path);
      try {
        if (write !== undefined) await this.#options.database.commit([write]);
        return true;
      } catch (error) {
        if (!(error instanceof LostPreconditionError)) throw error;
        if (attempt === MAX_ATTEMPTS) throw contended(error);
      }
    }
  }

  async #read(path: string): Promise<StoredDocument | undefined> {
    return (await this.#options.database.read([path])).get(path);
  }

  #parentOf({ tenantId, userId }: CredentialUser): string {
    const { root = DEFAULT_ROOT_COLLECTION } = this.#options;
    return `${tenantRoot(root, tenantId)}/_credentials/users/${escapeSegment(userId)}`;
  }

  /** The id is a digest, because app and key together can be longer than an id. */
  #pathOf(owner: CredentialOwner, credentialKey: string): string {
    const id = createHash("sha256").update(credentialNameText(owner, credentialKey)).digest("hex");
    return `${this.#parentOf(owner)}/${COLLECTION}/${id}`;
  }
}

/** Reads the owner from a path that `#pathOf` has returned, without its root. */
function userOfPath(path: string): { readonly tenantId: string; readonly userId: string } {
  const [first, , tenantId = "", ...rest] = path.split("/");
  const userId = unescapeSegment((first === "_" ? rest[3] : tenantId) ?? "") ?? "";
  return { tenantId: first === "_" ? tenantId : DEFAULT_TENANT, userId };
}

function saving(path: string, fields: DocumentFields, earlier: StoredDocument | undefined | "any"): DocumentWrite {
  if (earlier === undefined) return { kind: "create", path, fields };
  const update = { kind: "update", path, fields, mask: Object.keys(fields) } as const;
  return earlier === "any" ? update : { ...update, expect: earlier.version };
}

function versionOf({ fields }: StoredDocument): number {
  return Number(fields["version"]);
}

function toSummary({ fields }: StoredDocument): CredentialSummary {
  return {
    appName: String(fields[APP_NAME]),
    credentialKey: String(fields["credentialKey"]),
    // Written by `saveCredential` from a credential.
    authType: String(fields["authType"]) as CredentialSummary["authType"],
    createdTime: Number(fields["createdTime"]),
    updatedTime: Number(fields["updatedTime"]),
  };
}

function contended(cause: unknown): PlatformError {
  return new PlatformError("STORE_UNAVAILABLE", "Other writers changed this credential at the same time. Try again.", {
    cause,
  });
}
