import { tenantKey } from "#kit/names/tenant.ts";
import { type Logger, silentLogger } from "#kit/platform/logger.ts";
import { RUN_QUOTA_QUEUE_MS, type RunPlace, type RunQuota, type RunQuotaAnswer } from "#kit/runs/stream/run-quota.ts";
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

interface QuotaKeys {
  readonly since: string;
  readonly app: string;
  readonly appQueue: string;
  readonly user: string;
  readonly userQueue: string;
}

/** The places of one user, whose leases are renewed together. */
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
    const { since, app, appQueue, user, userQueue } = this.#keys(place);
    const { id, leaseMs, maxOfApp, maxOfUser } = place;
    // Every process renews its places each third of a lease.
    const settleMs = Math.ceil((leaseMs * 2) / 3);
    const answer = await this.#guard.run("take-place", () =>
      TAKE_PLACE_SCRIPT.run(
        this.#redis,
        [since, app, appQueue, user, userQueue],
        [id, leaseMs, maxOfApp, maxOfUser, waits ? 1 : 0, RUN_QUOTA_QUEUE_MS, settleMs],
      ),
    );
    if (answer === "app" || answer === "user") return { kind: "full", of: answer };
    this.hold(place);
    return { kind: "taken", isSure: answer === "taken" };
  }

  hold(place: RunPlace): void {
    const name = ownerOf(place);
    const held = this.#held.get(name);
    if (held === undefined) this.#held.set(name, { place, ids: new Set([place.id]) });
    else held.ids.add(place.id);
    this.#timer ??= setInterval(() => this.#keepAll(), place.leaseMs / 3).unref();
  }

  leave(place: RunPlace): void {
    const name = ownerOf(place);
    const held = this.#held.get(name);
    held?.ids.delete(place.id);
    if (held?.ids.size === 0) this.#held.delete(name);
    if (this.#held.size === 0) this.#stop();
    this.#remove(place);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop();
    this.#redis.off("ready", this.#onReady);
    this.#guard.dispose();
  }

  #remove(place: RunPlace): void {
    const { app, user } = this.#keys(place);
    this.#failedRemovals.delete(place);
    this.#guard
      .run("leave-place", async () => {
        await Promise.all([this.#redis.zrem(app, place.id), this.#redis.zrem(user, place.id)]);
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
    const { since, app, user } = this.#keys(place);
    const { leaseMs, maxOfApp, maxOfUser } = place;
    const limits = [maxOfApp > 0 ? 1 : 0, maxOfUser > 0 ? 1 : 0];
    await this.#guard.run("keep-places", () =>
      KEEP_PLACES_SCRIPT.run(this.#redis, [since, app, user], [leaseMs, ...limits, ...ids]),
    );
  }

  /** The braces put all keys of an app into one slot of a cluster, because one script checks both limits. */
  #keys({ tenantId, appName, userId }: RunPlace): QuotaKeys {
    const base = `${tenantPrefix(this.#prefix, tenantId)}:{quota:${encode(appName)}}`;
    const user = encode(userId);
    return {
      since: `${base}:since`,
      app: `${base}:app`,
      appQueue: `${base}:line`,
      user: `${base}:app:${user}`,
      userQueue: `${base}:line:${user}`,
    };
  }
}

function encode(identifier: string): string {
  return encodeURIComponent(identifier.toWellFormed());
}

/** Identifiers have no control characters, so no two users share a name. */
function ownerOf({ tenantId, appName, userId }: RunPlace): string {
  return tenantKey(`${appName}\n${userId}`, tenantId);
}
