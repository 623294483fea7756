import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { AuthCredential } from "#kit/credentials/auth-credential.ts";
import type { CredentialDirectory, CredentialSummary, CredentialUser } from "#kit/credentials/credential-directory.ts";
import {
  assertCredentialName,
  assertCredentialUser,
  assertRoomForCredential,
  inListedOrder,
  mostEntriesOf,
} from "#kit/credentials/credential-rules.ts";
import type { CredentialPlace, CredentialSealer } from "#kit/credentials/credential-sealer.ts";
import type { CredentialOwner, CredentialService, StoredCredential } from "#kit/credentials/credential-service.ts";
import type { SealedCredential, SealedCredentials, SealedPage } from "#kit/credentials/sealed-credentials.ts";
import { newRecordVersion } from "#kit/encryption/random-bytes.ts";
import { tenantOf } from "#kit/names/tenant.ts";
import type { Clock } from "#kit/platform/clock.ts";
import { assertDataOwner } from "#kit/tenants/data-owner.ts";
import type { DeletableData, DeleteDataRequest, DeleteDataResponse } from "#kit/tenants/tenant-data.ts";
import { firstRow } from "./database/sqlite-database.ts";
import { SqliteFile } from "./database/sqlite-file.ts";
import { WriteQueue } from "./database/write-queue.ts";

export interface SqliteCredentialServiceOptions {
  /** A separate database file, or `:memory:`. */
  readonly path: string;
  readonly clock: Clock;
  readonly sealer: CredentialSealer;
  /** The most credentials of one user; 1,000 if absent. */
  readonly maxPerUser?: number;
}

const SCHEMA = `
  CREATE TABLE credential (
    tenant_id TEXT NOT NULL, user_id TEXT NOT NULL, app_name TEXT NOT NULL, credential_key TEXT NOT NULL,
    version INTEGER NOT NULL, auth_type TEXT NOT NULL, sealed TEXT NOT NULL,
    created_ms REAL NOT NULL, updated_ms REAL NOT NULL,
    PRIMARY KEY (tenant_id, user_id, app_name, credential_key)
  ) STRICT, WITHOUT ROWID;
`;

interface CredentialRow {
  readonly version: number;
  readonly sealed: string;
}

/** Credentials in a SQLite file of their own, sealed. */
export class SqliteCredentialService
  implements CredentialService, CredentialDirectory, SealedCredentials, DeletableData, AsyncDisposable
{
  readonly #clock: Clock;
  readonly #sealer: CredentialSealer;
  readonly #maxPerUser: number | undefined;
  readonly #queue: WriteQueue;
  readonly #statements: ReturnType<typeof prepareStatements>;

  constructor({ path, clock, sealer, maxPerUser }: SqliteCredentialServiceOptions) {
    this.#clock = clock;
    this.#sealer = sealer;
    this.#maxPerUser = maxPerUser;
    const file = new SqliteFile({ file: path, migrations: [SCHEMA] });
    this.#queue = new WriteQueue(file);
    this.#statements = prepareStatements(file.database);
  }

  async loadCredential(owner: CredentialOwner, credentialKey: string): Promise<StoredCredential | undefined> {
    assertCredentialName(owner, credentialKey);
    const row = await this.#queue.read(() => this.#find(owner, credentialKey));
    if (row === undefined) return undefined;
    const { version, sealed } = row;
    const place = { owner, credentialKey, version };
    const credential = this.#sealer.open(sealed, place);
    const renewed = this.#sealer.renewed(sealed, credential, place);
    if (renewed !== undefined) await this.#renew(place, renewed);
    return { credential, version };
  }

  /** Keeps the credential's version, because its content has not changed. */
  async #renew({ owner, credentialKey, version }: CredentialPlace, sealed: string): Promise<void> {
    try {
      await this.#queue.write(() => this.#statements.renew.run(sealed, ...nameOf(owner, credentialKey), version));
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
    const sealed = this.#sealer.seal(credential, { owner, credentialKey, version });
    const now = this.#clock.now();
    return this.#queue.write(() => {
      const earlier = this.#find(owner, credentialKey);
      if (ifVersion !== undefined && ifVersion !== (earlier?.version ?? 0)) return undefined;
      if (earlier === undefined) assertRoomForCredential(credentialKey, this.#keysOf(owner), this.#maxPerUser);
      const kept = [version, credential.authType, sealed, now, now] as const;
      this.#statements.save.run(...nameOf(owner, credentialKey), ...kept);
      return version;
    });
  }

  async deleteCredential(owner: CredentialOwner, credentialKey: string, ifVersion?: number): Promise<void> {
    assertCredentialName(owner, credentialKey);
    await this.#queue.write(() => {
      if (ifVersion !== undefined && ifVersion !== this.#find(owner, credentialKey)?.version) return;
      this.#statements.delete.run(...nameOf(owner, credentialKey));
    });
  }

  async listCredentials(user: CredentialUser): Promise<readonly CredentialSummary[]> {
    assertCredentialUser(user);
    const { tenantId, userId, appName } = { ...user, tenantId: tenantOf(user) };
    const { list, listOfApp } = this.#statements;
    const rows = await this.#queue.read(() =>
      appName === undefined ? list.all(tenantId, userId) : listOfApp.all(tenantId, userId, appName),
    );
    return inListedOrder(rows.map(toSummary));
  }

  async listSealed({ after, limit }: SealedPage): Promise<readonly SealedCredential[]> {
    const from = after === undefined ? (["", "", "", ""] as const) : nameOf(after.owner, after.credentialKey);
    const rows = await this.#queue.read(() => this.#statements.listSealed.all(...from, limit));
    return rows.map((row) => ({
      owner: {
        tenantId: String(row["tenant_id"]),
        userId: String(row["user_id"]),
        appName: String(row["app_name"]),
      },
      credentialKey: String(row["credential_key"]),
      ...this.#sealer.sealedWith(String(row["sealed"])),
    }));
  }

  async deleteData(request: DeleteDataRequest): Promise<DeleteDataResponse> {
    assertDataOwner(request);
    const { tenantId, userId = null, limit } = request;
    const { changes } = await this.#queue.write(() => this.#statements.deleteOwned.run(tenantId, userId, limit));
    return { deleted: Number(changes), isDone: Number(changes) < limit };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#queue[Symbol.asyncDispose]();
  }

  #keysOf(owner: CredentialOwner): readonly { readonly credentialKey: string }[] {
    const rows = this.#statements.keys.all(tenantOf(owner), owner.userId, mostEntriesOf(this.#maxPerUser));
    return rows.map((row) => ({ credentialKey: String(row["credential_key"]) }));
  }

  #find(owner: CredentialOwner, credentialKey: string): CredentialRow | undefined {
    return firstRow<CredentialRow>(this.#statements.find, ...nameOf(owner, credentialKey));
  }
}

/** The values of the primary key. */
function nameOf(owner: CredentialOwner, credentialKey: string): readonly [string, string, string, string] {
  return [tenantOf(owner), owner.userId, owner.appName, credentialKey];
}

function toSummary(row: ReturnType<StatementSync["all"]>[number]): CredentialSummary {
  return {
    appName: String(row["app_name"]),
    credentialKey: String(row["credential_key"]),
    // Written by `saveCredential` from a credential.
    authType: String(row["auth_type"]) as CredentialSummary["authType"],
    createdTime: Number(row["created_ms"]),
    updatedTime: Number(row["updated_ms"]),
  };
}

function prepareStatements(database: DatabaseSync) {
  const name = "tenant_id = ? AND user_id = ? AND app_name = ? AND credential_key = ?";
  const listed = "SELECT app_name, credential_key, auth_type, created_ms, updated_ms FROM credential";
  return {
    find: database.prepare(`SELECT version, sealed FROM credential WHERE ${name}`),
    save: database.prepare(`
      INSERT INTO credential
        (tenant_id, user_id, app_name, credential_key, version, auth_type, sealed, created_ms, updated_ms)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET
        version = excluded.version, auth_type = excluded.auth_type, sealed = excluded.sealed,
        updated_ms = excluded.updated_ms`),
    renew: database.prepare(`UPDATE credential SET sealed = ? WHERE ${name} AND version = ?`),
    delete: database.prepare(`DELETE FROM credential WHERE ${name}`),
    deleteOwned: database.prepare(`
      DELETE FROM credential WHERE (tenant_id, user_id, app_name, credential_key) IN (
        SELECT tenant_id, user_id, app_name, credential_key FROM credential
        WHERE tenant_id = ? AND user_id = ifnull(?, user_id) LIMIT ?)`),
    listSealed: database.prepare(`
      SELECT tenant_id, user_id, app_name, credential_key, sealed FROM credential
      WHERE (tenant_id, user_id, app_name, credential_key) > (?, ?, ?, ?)
      ORDER BY tenant_id, user_id, app_name, credential_key LIMIT ?`),
    keys: database.prepare("SELECT credential_key FROM credential WHERE tenant_id = ? AND user_id = ? LIMIT ?"),
    list: database.prepare(`${listed} WHERE tenant_id = ? AND user_id = ?`),
    listOfApp: database.prepare(`${listed} WHERE tenant_id = ? AND user_id = ? AND app_name = ?`),
  };
}
