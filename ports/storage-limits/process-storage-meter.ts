import { inTenant, type TenantScoped, tenantOf } from "#kit/names/tenant.ts";
import {
  assertRoomFor,
  type MeteredAmounts,
  type MeteredStore,
  NOTHING_METERED,
  negative,
  scopesOf,
  sumOf,
} from "./metered-amounts.ts";
import {
  type MeteredKind,
  NO_STORAGE_LIMITS,
  STORAGE_SCOPES,
  type StorageCount,
  type StorageLimits,
  type StorageOwner,
  storageCount,
} from "./storage-limits.ts";

/** The amounts that are stored for an owner, or a part of them. */
export interface StoredOfOwner extends MeteredAmounts {
  readonly appName: string;
  readonly userId?: string;
}

export interface ProcessStorageMeterOptions {
  readonly kind: MeteredKind;
  /** Nothing is counted if absent. */
  readonly limits: StorageLimits | undefined;
  /** All that is stored of a tenant. */
  readonly load: (tenant: TenantScoped) => Promise<readonly StoredOfOwner[]>;
  /** The form in which `load` returns names of apps and users; they are unchanged by default. */
  readonly nameOf?: (name: string) => string;
}

type Counts = Map<string, MeteredAmounts>;

/**
 * Counts the data of a store that only this process writes. The counts are in memory. Those of a tenant are computed
 * from the stored data when they are first needed, so they are correct after a crash.
 *
 * A write or a deletion calls `ready` first, then `reserve` with what it is about to add, and `release` with what it has
 * removed, or has failed to add.
 */
export class ProcessStorageMeter implements MeteredStore {
  readonly #options: ProcessStorageMeterOptions;
  readonly #limits: StorageLimits;
  readonly #counts = new Map<string, Counts>();
  readonly #loading = new Map<string, Promise<void>>();

  constructor(options: ProcessStorageMeterOptions) {
    this.#options = options;
    this.#limits = options.limits ?? NO_STORAGE_LIMITS;
  }

  /** Whether limits were given. Without them nothing is ever counted. */
  get isMetering(): boolean {
    return this.#options.limits !== undefined;
  }

  /** Loads the tenant's counts if there are limits. No promise if nothing has to be loaded. */
  ready(tenant: TenantScoped): Promise<void> | undefined {
    const tenantId = tenantOf(tenant);
    if (this.#limits.counted.length === 0 || this.#counts.has(tenantId)) return undefined;
    return this.#load(tenantId);
  }

  /** Adds the change immediately. Throws `QUOTA_EXCEEDED` if it has no room, and adds nothing then. */
  reserve(owner: StorageOwner, change: MeteredAmounts): void {
    const counts = this.#counts.get(tenantOf(owner));
    if (counts === undefined) return;
    const { kind } = this.#options;
    const question = { kind, limits: this.#limits, owner, changeOf: () => change };
    assertRoomFor(question, (count) => this.#read(counts, count));
    this.#add(counts, owner, change);
  }

  release(owner: StorageOwner, amounts: MeteredAmounts): void {
    const counts = this.#counts.get(tenantOf(owner));
    if (counts !== undefined) this.#add(counts, owner, negative(amounts));
  }

  /** As `release`, for names in the form in which `load` returns them. */
  releaseStored(tenant: TenantScoped, { items, bytes, ...names }: StoredOfOwner): void {
    const counts = this.#counts.get(tenantOf(tenant));
    if (counts !== undefined) this.#addTo(counts, names, negative({ items, bytes }));
  }

  async readStored(counts: readonly StorageCount[]): Promise<readonly MeteredAmounts[]> {
    for (const count of counts) await this.ready(count);
    return counts.map((count) => {
      const known = this.#counts.get(tenantOf(count));
      return known === undefined ? NOTHING_METERED : this.#read(known, count);
    });
  }

  #load(tenantId: string): Promise<void> {
    const known = this.#loading.get(tenantId);
    if (known !== undefined) return known;
    const loading = this.#options
      .load(inTenant(tenantId))
      .then((stored) => {
        const counts: Counts = new Map();
        for (const { items, bytes, ...names } of stored) this.#addTo(counts, names, { items, bytes });
        this.#counts.set(tenantId, counts);
      })
      .finally(() => this.#loading.delete(tenantId));
    this.#loading.set(tenantId, loading);
    return loading;
  }

  #read(counts: Counts, count: StorageCount): MeteredAmounts {
    return counts.get(keyOf(count.scope, this.#nameOf(count.name))) ?? NOTHING_METERED;
  }

  #add(counts: Counts, { appName, userId }: StorageOwner, change: MeteredAmounts): void {
    const names = { appName: this.#nameOf(appName), userId: userId === undefined ? undefined : this.#nameOf(userId) };
    this.#addTo(counts, names, change);
  }

  #addTo(counts: Counts, names: StorageOwner, change: MeteredAmounts): void {
    for (const scope of scopesOf(STORAGE_SCOPES, names)) {
      const key = keyOf(scope, storageCount(scope, names).name);
      const { items, bytes } = sumOf(counts.get(key) ?? NOTHING_METERED, change);
      if (items <= 0 && bytes <= 0) counts.delete(key);
      else counts.set(key, { items, bytes });
    }
  }

  #nameOf(name: string): string {
    return name === "" ? "" : (this.#options.nameOf?.(name) ?? name);
  }
}

function keyOf(scope: string, name: string): string {
  return `${scope}:${name}`;
}
