import { DEFAULT_TENANT, type TenantScoped, tenantKey } from "#kit/names/tenant.ts";
import { type Logger, silentLogger } from "#kit/platform/logger.ts";
import { RUN_QUOTA_QUEUE_MS, type RunPlace, type RunQuota, type RunQuotaAnswer } from "#ports/runs/run-quota.ts";
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

/** The places under the same limits, whose leases are renewed together. */
interface Held {
  readonly place: RunPlace;
  readonly ids: Set<string>;
}

/**
 * Counts the runs of all processes in Redis. A place has a lease, which its process renews each third of it; a place
 * ends when it is left, or with its lease if its process is lost. After Redis has lost data, each process adds its
 * places again with its next renewal. Until all processes have had the time for that, answers are not sure (`isSure`).
 */
export class RedisRunQuota implements RunQuota, AsyncDisposable {
  readonly #redis: RedisClient;
  readonly #guard: RedisGuard;
  readonly #prefix: string;
  readonly #logger: Logger;
  readonly #held = new Map<string, Held>();
  /** Places whose removal failed: Redis would count them until their leases end. */
  readonly #failedRemovals = new Set<RunPlace>();
  readonly #onReady = (): void => {
    for (const place of this.#failedRemovals) this.#remove(place);
    this.#keepAll();
  };
  #timer: NodeJS.Timeout | undefined;

  constructor({ redis, keyPrefix = DEFAULT_KEY_PREFIX, logger = silentLogger, observer }: RedisRunQuotaOptions) {
    this.#redis = redis;
    this.#guard = new RedisGuard(redis, observer);
    this.#prefix = checkKeyPrefix(keyPrefix);
    this.#logger = logger;
    redis.on("ready", this.#onReady);
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
    this.hold(place);
    return { kind: "taken", isSure: answer === "taken" };
  }

  hold(place: RunPlace): void {
    const name = limitsName(place);
    const held = this.#held.get(name);
    if (held === undefined) this.#held.set(name, { place, ids: new Set([place.id]) });
    else held.ids.add(place.id);
    this.#timer ??= setInterval(() => this.#keepAll(), place.leaseMs / 3).unref();
  }

  leave(place: RunPlace): void {
    const name = limitsName(place);
    const held = this.#held.get(name);
    held?.ids.delete(place.id);
    if (held?.ids.size === 0) this.#held.delete(name);
    if (this.#held.size === 0) this.#stop();
    this.#remove(place);
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

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop();
    this.#redis.off("ready", this.#onReady);
    this.#guard.dispose();
  }

  #remove(place: RunPlace): void {
    const keys = this.#keys(place);
    this.#failedRemovals.delete(place);
    this.#guard
      .run("leave-place", async () => {
        await Promise.all(keys.map(({ places }) => this.#redis.zrem(places, place.id)));
      })
      .catch((error: unknown) => {
        this.#logger.debug({ error }, "a place of a run was not removed");
        this.#failedRemovals.add(place);
        setTimeout(() => this.#failedRemovals.delete(place), place.leaseMs).unref();
      });
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #keepAll(): void {
    for (const held of this.#held.values()) {
      this.#keep(held).catch((error: unknown) => this.#logger.debug({ error }, "places of runs were not renewed"));
    }
  }

  async #keep({ place, ids }: Held): Promise<void> {
    const keys = [this.#sinceKey(place), ...this.#keys(place).map(({ places }) => places)];
    await this.#guard.run("keep-places", () => KEEP_PLACES_SCRIPT.run(this.#redis, keys, [place.leaseMs, ...ids]));
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

/** Names of limits have no carriage return, so no two lists share a name. */
function limitsName({ tenantId, limits }: RunPlace): string {
  return tenantKey(limits.map(({ name }) => name).join("\r"), tenantId);
}
