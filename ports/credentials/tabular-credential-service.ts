import type { AuthCredential } from "#kit/credentials/auth-credential.ts";
import type { CredentialOwner, CredentialService, StoredCredential } from "#kit/credentials/credential-service.ts";
import { tenantOf } from "#kit/names/tenant.ts";
import type { Clock } from "#kit/platform/clock.ts";
import { newRecordVersion } from "#ports/encryption/random-bytes.ts";
import { changeRows } from "#ports/rows/change-rows.ts";
import { deleteOwned } from "#ports/rows/owned-rows.ts";
import { keyDigest, keyPart, type Row, type RowTable } from "#ports/rows/row-table.ts";
import { eachRow, removeRows } from "#ports/rows/walk-rows.ts";
import { assertDataOwner } from "#ports/tenants/data-owner.ts";
import type { DeletableData, DeleteDataRequest, DeleteDataResponse } from "#ports/tenants/tenant-data.ts";
import type { CredentialDirectory, CredentialSummary, CredentialUser } from "./credential-directory.ts";
import {
  assertCredentialName,
  assertCredentialUser,
  assertRoomForCredential,
  credentialText,
  inListedOrder,
  isOfUser,
  mostEntries,
} from "./credential-rules.ts";
import type { CredentialSealer } from "./credential-sealer.ts";
import type { SealedCredential, SealedCredentials, SealedPage } from "./sealed-credentials.ts";

export interface TabularCredentialServiceOptions {
  readonly table: RowTable;
  readonly clock: Clock;
  /** Seals the credentials; they are stored as they are if absent. */
  readonly sealer?: CredentialSealer | undefined;
  /** The most credentials of one user; 1,000 if absent. */
  readonly maxPerUser?: number | undefined;
}

/** The content of a row. */
interface Kept extends CredentialSummary {
  readonly tenantId: string;
  readonly userId: string;
  readonly version: number;
  /** Sealed, or the JSON of the credential if there is no sealer. */
  readonly text: string;
}

/**
 * Credentials over a table of rows: `user/{tenant}/{user}/{kind}/{digest of app and name}`, where the kind is `own` for a
 * credential of the user and `kit` for an entry of the kit. A new one also changes `room/{tenant}/{user}`, so that
 * concurrent ones cannot exceed the limit.
 */
export class TabularCredentialService
  implements CredentialService, CredentialDirectory, SealedCredentials, DeletableData
{
  readonly #table: RowTable;
  readonly #clock: Clock;
  readonly #sealer: CredentialSealer | undefined;
  readonly #maxPerUser: number | undefined;

  constructor({ table, clock, sealer, maxPerUser }: TabularCredentialServiceOptions) {
    this.#table = table;
    this.#clock = clock;
    this.#sealer = sealer;
    this.#maxPerUser = maxPerUser;
  }

  async loadCredential(owner: CredentialOwner, credentialKey: string): Promise<StoredCredential | undefined> {
    assertCredentialName(owner, credentialKey);
    const key = credentialRow(owner, credentialKey);
    const row = (await this.#table.read([key])).get(key);
    const kept = keptOf(row);
    if (row === undefined || kept === undefined) return undefined;
    const { version, text } = kept;
    // Written by `saveCredential` from a credential.
    if (this.#sealer === undefined) return { credential: JSON.parse(text) as AuthCredential, version };
    const place = { owner, credentialKey, version };
    const credential = this.#sealer.open(text, place);
    const renewed = this.#sealer.renewed(text, credential, place);
    if (renewed !== undefined) await this.#renew(row, renewed);
    return { credential, version };
  }

  /** Keeps the credential's version, because its content has not changed. */
  async #renew({ key, value, version }: Row, text: string): Promise<void> {
    try {
      await this.#table.commit([{ key, value: { ...value, text }, expect: version }]);
    } catch {
      // The credential can be read nevertheless, and the next call that loads it tries again.
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
    const text = this.#sealer?.seal(credential, { owner, credentialKey, version }) ?? credentialText(credential);
    const [key, room] = [credentialRow(owner, credentialKey), roomRow(owner)];
    return changeRows<number | undefined>(this.#table, [key, room], async (rows) => {
      const earlier = keptOf(rows.get(key));
      if (ifVersion !== undefined && ifVersion !== (earlier?.version ?? 0)) return { writes: [], result: undefined };
      const updatedTime = this.#clock.now();
      const kept: Kept = {
        ...{ tenantId: tenantOf(owner), appName: owner.appName, userId: owner.userId, credentialKey },
        ...{ authType: credential.authType, version, text },
        ...{ createdTime: earlier?.createdTime ?? updatedTime, updatedTime },
      };
      const save = { key, value: { ...kept } };
      if (earlier !== undefined) return { writes: [save], result: version };
      await this.#assertRoom(owner, credentialKey);
      return { writes: [save, { key: room, value: { changed: version } }], result: version };
    });
  }

  async #assertRoom(owner: CredentialOwner, credentialKey: string): Promise<void> {
    const prefix = rowsOfKind(owner, credentialKey);
    const limit = mostEntries(credentialKey, this.#maxPerUser);
    const count = (await this.#table.listKeys({ prefix, limit })).length;
    assertRoomForCredential(credentialKey, count, this.#maxPerUser);
  }

  async deleteCredential(owner: CredentialOwner, credentialKey: string, ifVersion?: number): Promise<void> {
    assertCredentialName(owner, credentialKey);
    const key = credentialRow(owner, credentialKey);
    await changeRows(this.#table, [key], (rows) => {
      const isOther = ifVersion !== undefined && ifVersion !== keptOf(rows.get(key))?.version;
      return { writes: isOther ? [] : [{ key, value: undefined }], result: undefined };
    });
  }

  async listCredentials(user: CredentialUser): Promise<readonly CredentialSummary[]> {
    assertCredentialUser(user);
    const summaries: CredentialSummary[] = [];
    for await (const row of eachRow(this.#table, { prefix: `${rowsOfUser(user)}own/` })) {
      const { appName, credentialKey, authType, createdTime, updatedTime } = keptOf(row);
      if (user.appName !== undefined && user.appName !== appName) continue;
      summaries.push({ appName, credentialKey, authType, createdTime, updatedTime });
    }
    return inListedOrder(summaries);
  }

  /** In the order of the rows. Empty without a sealer. */
  async listSealed({ after, limit }: SealedPage): Promise<readonly SealedCredential[]> {
    const sealer = this.#sealer;
    if (sealer === undefined) return [];
    const found: SealedCredential[] = [];
    const last = after && credentialRow(after.owner, after.credentialKey);
    for await (const row of eachRow(this.#table, { prefix: "user/", after: last })) {
      const { tenantId, appName, userId, credentialKey, text } = keptOf(row);
      found.push({ owner: { tenantId, appName, userId }, credentialKey, ...sealer.sealedWith(text) });
      if (found.length === limit) break;
    }
    return found;
  }

  async deleteData({ limit, ...owner }: DeleteDataRequest): Promise<DeleteDataResponse> {
    assertDataOwner(owner);
    const { tenantId, userId } = owner;
    const prefix = userId === undefined ? `user/${tenantId}/` : rowsOfUser({ tenantId, userId });
    const deletion = await deleteOwned(this.#table, { prefixes: [prefix], limit });
    if (!deletion.isDone) return deletion;
    if (userId === undefined) await removeRows(this.#table, `room/${tenantId}/`);
    else await this.#table.commit([{ key: roomRow({ tenantId, userId }), value: undefined }]);
    return deletion;
  }
}

function rowsOfUser(user: CredentialUser): string {
  return `user/${tenantOf(user)}/${keyPart(user.userId)}/`;
}

function rowsOfKind(owner: CredentialOwner, credentialKey: string): string {
  return `${rowsOfUser(owner)}${isOfUser({ credentialKey }) ? "own" : "kit"}/`;
}

/** A digest, because app and name together can be longer than a key. */
function credentialRow(owner: CredentialOwner, credentialKey: string): string {
  return `${rowsOfKind(owner, credentialKey)}${keyDigest([owner.appName, credentialKey])}`;
}

function roomRow(user: CredentialUser): string {
  return `room/${tenantOf(user)}/${keyPart(user.userId)}`;
}

function keptOf(row: Row): Kept;
function keptOf(row: Row | undefined): Kept | undefined;
function keptOf(row: Row | undefined): Kept | undefined {
  // Written by `saveCredential`.
  return row?.value as Kept | undefined;
}
