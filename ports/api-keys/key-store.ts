import type { TenantScoped } from "#kit/names/tenant.ts";
import type { DataOwner } from "../tenants/data-owner.ts";

/** An API key as it is stored, without its secret. */
export interface KeyRecord extends TenantScoped {
  /** Unique; later ids sort after earlier ones. */
  readonly id: string;
  /** A display name, chosen by whoever creates the key. */
  readonly name: string;
  /** SHA-256 of the secret, in hexadecimal. */
  readonly digest: string;
  /** The scopes that the key grants. The store does not interpret them. */
  readonly scopes: readonly string[];
  /** The only user whose data the key reaches; absent for a key of no user. */
  readonly userId?: string;
  /** The only apps that the key may use; all if absent. */
  readonly apps?: readonly string[];
  readonly createdAtMs: number;
  /** The subject that created the key; absent for one that was created on the command line. */
  readonly createdBy?: string;
  /** The key is not valid from then on; it has no end if absent. */
  readonly expiresAtMs?: number;
  /** The last use, up to some minutes late; absent for a key that was never used. */
  readonly lastUsedAtMs?: number;
  /** The key is not valid from then on. Revoked keys are kept, so that records that name them can be explained. */
  readonly revokedAtMs?: number;
}

/** A part of the list of keys. */
export interface KeyListing {
  /** Only keys with a later id. */
  readonly after?: string | undefined;
  /** Only keys of this tenant; those of all tenants if absent. */
  readonly tenantId?: string | undefined;
  /** At least 1. */
  readonly limit: number;
}

/** Keeps API keys. Several processes may use one store at the same time. */
export interface KeyStore {
  /** Stores a new key. Throws if there is one with its id. */
  create(record: KeyRecord): Promise<void>;
  /** The key, also if it is revoked or has expired. */
  get(id: string): Promise<KeyRecord | undefined>;
  /** In the order of the ids, revoked and expired keys included. */
  list(listing: KeyListing): Promise<readonly KeyRecord[]>;
  /** Returns the revoked key; undefined if there is none of that id. The first revocation's time remains. */
  revoke(id: string, revokedAtMs: number): Promise<KeyRecord | undefined>;
  /** Notes when keys were last used, by id. An earlier time than the stored one changes nothing, and unknown ids are ignored. */
  recordUses(lastUsedAtMs: ReadonlyMap<string, number>): Promise<void>;
  /**
   * Deletes at most `limit` keys of a tenant, or only those of one of its users. Returns the ids of the deleted keys.
   */
  deleteOf(owner: DataOwner, limit: number): Promise<readonly string[]>;
}
