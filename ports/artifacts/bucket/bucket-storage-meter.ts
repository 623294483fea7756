import { escapeSegment } from "#kit/names/identifiers.ts";
import { inTenant, tenantOf } from "#kit/names/tenant.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import {
  type MeteredAmounts,
  type MeteredStore,
  NOTHING_METERED,
  negative,
  scopesOf,
} from "#ports/storage-limits/metered-amounts.ts";
import {
  METERED_LIMITS,
  NO_STORAGE_LIMITS,
  STORAGE_SCOPES,
  type StorageCount,
  type StorageLimits,
  type StorageOwner,
  type StorageScope,
  storageCount,
} from "#ports/storage-limits/storage-limits.ts";
import { storageExceeded } from "#ports/storage-limits/storage-refusal.ts";
import type { DataOwner } from "#ports/tenants/data-owner.ts";
import { type ArtifactLayout, TENANTS_FOLDER } from "./artifact-layout.ts";
import type { ObjectBucket } from "./object-bucket.ts";
import { StorageCounter } from "./storage-counter.ts";
import { storedInBucket } from "./stored-objects.ts";

export interface BucketStorageMeterOptions {
  readonly objects: ObjectBucket;
  readonly ids: IdGenerator;
  readonly layout: ArtifactLayout;
  /** Nothing is counted if absent. */
  readonly limits: StorageLimits | undefined;
}

/** Counters of names that are kept in memory; all are dropped when there are more. */
const MAX_COUNTERS = 1_000;
/** No tenant's id begins with a dot. */
const COUNTERS_FOLDER = `${TENANTS_FOLDER}/.stored`;

/**
 * The counts of a bucket, which has no transactions: one object for each name. A save reserves its bytes before it
 * writes, and a deletion releases what it has removed afterwards, so that a process that is lost in between leaves a
 * count too high and never too low. A count that does not exist is computed from the stored objects.
 */
export class BucketStorageMeter implements MeteredStore {
  readonly #options: BucketStorageMeterOptions;
  readonly #limits: StorageLimits;
  readonly #counters = new Map<string, StorageCounter>();

  constructor(options: BucketStorageMeterOptions) {
    this.#options = options;
    this.#limits = options.limits ?? NO_STORAGE_LIMITS;
  }

  /** Whether limits were given. Without them nothing is ever counted. */
  get isMetering(): boolean {
    return this.#options.limits !== undefined;
  }

  /**
   * Adds the change to the counts. Throws `QUOTA_EXCEEDED` if it has no room, and adds nothing then; throws
   * `STORE_UNAVAILABLE` if a count cannot be changed.
   */
  async reserve(owner: StorageOwner, change: MeteredAmounts): Promise<void> {
    const reserved: StorageScope[] = [];
    try {
      for (const scope of scopesOf(this.#limits.counted, owner)) {
        await this.#counterOf(scope, owner).add(change, (stored) => this.#assertRoom(scope, owner, stored));
        reserved.push(scope);
      }
    } catch (error) {
      await this.#addTo(reserved, owner, negative(change));
      throw error;
    }
  }

  /** Only counts that exist change. A count that cannot be changed now stays too high. */
  async release(owner: StorageOwner, amounts: MeteredAmounts): Promise<void> {
    if (!this.isMetering || (amounts.items === 0 && amounts.bytes === 0)) return;
    await this.#addTo(scopesOf(STORAGE_SCOPES, owner), owner, negative(amounts));
  }

  /**
   * Removes the counts that have the owner's name, after all of its data. A count that is needed again is computed
   * again.
   */
  async forget({ tenantId, userId }: DataOwner): Promise<void> {
    if (!this.isMetering) return;
    const { objects } = this.#options;
    const ofTenant = `${COUNTERS_FOLDER}/${tenantId}/`;
    const prefix = userId === undefined ? ofTenant : `${ofTenant}user/${escapeSegment(userId)}`;
    for await (const page of objects.list(prefix)) {
      const own = userId === undefined ? page : page.filter(({ name }) => name === prefix);
      for (const resource of own) await objects.remove(resource);
    }
  }

  async readStored(counts: readonly StorageCount[]): Promise<readonly MeteredAmounts[]> {
    const read = (count: StorageCount) => {
      if (!this.#limits.counted.includes(count.scope)) return NOTHING_METERED;
      return this.#counter(count).read();
    };
    return Promise.all(counts.map(read));
  }

  async #addTo(scopes: readonly StorageScope[], owner: StorageOwner, change: MeteredAmounts): Promise<void> {
    for (const scope of scopes) await this.#counterOf(scope, owner).release(change);
  }

  #assertRoom(scope: StorageScope, owner: StorageOwner, after: MeteredAmounts): void {
    for (const member of ["items", "bytes"] as const) {
      const limit = METERED_LIMITS.artifacts[member];
      const max = this.#limits.maxOf(limit, scope, owner);
      if (max !== undefined && after[member] > max) throw storageExceeded(scope, limit, max);
    }
  }

  #counterOf(scope: StorageScope, owner: StorageOwner): StorageCounter {
    return this.#counter(storageCount(scope, owner));
  }

  #counter(count: StorageCount): StorageCounter {
    const { scope, name } = count;
    const path = `${COUNTERS_FOLDER}/${tenantOf(count)}/${scope}/${name === "" ? "all" : escapeSegment(name)}`;
    const known = this.#counters.get(path);
    if (known !== undefined) return known;
    if (this.#counters.size >= MAX_COUNTERS) this.#dropIdle();
    const { objects, ids, layout } = this.#options;
    const owner = { ...inTenant(count.tenantId), scope, name };
    const counter = new StorageCounter({ objects, ids, path, count: () => storedInBucket(objects, layout, owner) });
    this.#counters.set(path, counter);
    return counter;
  }

  #dropIdle(): void {
    for (const [path, counter] of this.#counters) if (counter.isIdle) this.#counters.delete(path);
  }
}
