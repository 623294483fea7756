import { DEFAULT_TENANT, type TenantScoped } from "#kit/names/tenant.ts";
import { type Logger, silentLogger } from "#kit/platform/logger.ts";
import { RUN_QUOTA_QUEUE_MS, type RunPlace, type RunQuotaAnswer } from "#ports/runs/run-quota.ts";
import { type SharedRunPlaces, SharedRunQuota } from "#ports/runs/shared-run-quota.ts";
import type { RedisClient } from "./redis-client.ts";
import { RedisGuard } from "./redis-guard.ts";
import type { RedisObserver } from "./redis-observer.ts";
import { checkKeyPrefix, DEFAULT_KEY_PREFIX, tenantPrefix } from "./run-keys.ts";
import { KEEP_PLACES_SCRIPT, TAKE_PLACE_SCRIPT } from "./scripts/quota-scripts.ts";

export interface RedisRunQuotaOptions {
  /** The caller closes it. */
  readonly redis: RedisClient;
  /** The release's prefix of every key; default `fairlead`. */
  readonly keyPrefix?: string | undefined;
  readonly logger?: Logger | undefined;
  readonly observer?: RedisObserver | undefined;
}

/** The keys of one limit. */
interface LimitKeys {
  readonly places: string;
  readonly queue: string;
}

/** Counts the runs of all processes in Redis. */
export class RedisRunQuota extends SharedRunQuota {
  readonly #redis: RedisClient;
  readonly #places: RedisRunPlaces;
  readonly #onReady = (): void => this.retry();

  constructor(options: RedisRunQuotaOptions) {
    const places = new RedisRunPlaces(options);
    super({ places, logger: options.logger ?? silentLogger });
    this.#redis = options.redis;
    this.#places = places;
    options.redis.on("ready", this.#onReady);
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    this.#redis.off("ready", this.#onReady);
    this.#places.dispose();
  }
}

class RedisRunPlaces implements SharedRunPlaces {
  readonly #redis: RedisClient;
  readonly #guard: RedisGuard;
  readonly #prefix: string;

  constructor({ redis, keyPrefix = DEFAULT_KEY_PREFIX, observer }: RedisRunQuotaOptions) {
    this.#redis = redis;
    this.#guard = new RedisGuard(redis, observer);
    this.#prefix = checkKeyPrefix(keyPrefix);
  }

  async take(place: RunPlace, { waits }: { readonly waits: boolean }): Promise<RunQuotaAnswer> {
    const { id, leaseMs, limits } = place;
    // Every process renews its places each third of a lease.
    const settleMs = Math.ceil((leaseMs * 2) / 3);
    const keys = [this.#sinceKey(place), ...this.#keys(place).flatMap(({ places, queue }) => [places, queue])];
    const answer = await this.#guard.run("take-place", () =>
      TAKE_PLACE_SCRIPT.run(this.#redis, keys, [
        ...[id, leaseMs, waits ? 1 : 0, RUN_QUOTA_QUEUE_MS, settleMs],
        ...limits.map(({ max }) => max),
      ]),
    );
    const full = typeof answer === "number" ? limits[answer - 1] : undefined;
    if (full !== undefined) return { kind: "full", limit: full };
    return { kind: "taken", isSure: answer === "taken" };
  }

  async keep(place: RunPlace, ids: readonly string[]): Promise<void> {
    const keys = [this.#sinceKey(place), ...this.#keys(place).map(({ places }) => places)];
    await this.#guard.run("keep-places", () => KEEP_PLACES_SCRIPT.run(this.#redis, keys, [place.leaseMs, ...ids]));
  }

  async remove(place: RunPlace): Promise<void> {
    const keys = this.#keys(place);
    await this.#guard.run("leave-place", async () => {
      await Promise.all(keys.map(({ places }) => this.#redis.zrem(places, place.id)));
    });
  }

  async count({ names, ...tenant }: TenantScoped & { readonly names: readonly string[] }): Promise<readonly number[]> {
    return this.#guard.run("count-places", async () => {
      const [seconds] = await this.#redis.time();
      const counts = names.map((name) =>
        this.#redis.zcount(this.#limitKeys(tenant, name).places, Number(seconds) * 1000, "+inf"),
      );
      return Promise.all(counts);
    });
  }

  dispose(): void {
    this.#guard.dispose();
  }

  #keys(place: RunPlace): readonly LimitKeys[] {
    return place.limits.map(({ name }) => this.#limitKeys(place, name));
  }

  #limitKeys(tenant: TenantScoped, name: string): LimitKeys {
    const base = this.#base(tenant);
    const encoded = encodeURIComponent(name.toWellFormed());
    return { places: `${base}:places:${encoded}`, queue: `${base}:queue:${encoded}` };
  }

  #sinceKey(tenant: TenantScoped): string {
    return `${this.#base(tenant)}:since`;
  }

  /** The braces put all keys of a tenant into one slot of a cluster, because one script checks several limits. */
  #base({ tenantId }: TenantScoped): string {
    return `${tenantPrefix(this.#prefix, tenantId)}:{quota:${tenantId ?? DEFAULT_TENANT}}`;
  }
}
