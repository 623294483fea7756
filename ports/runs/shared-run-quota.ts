import { type TenantScoped, tenantKey } from "#kit/names/tenant.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { RunPlace, RunQuota, RunQuotaAnswer } from "./run-quota.ts";

/** The places of all processes in a database that all of them reach. Each call is one atomic step. */
export interface SharedRunPlaces {
  take(place: RunPlace, options: { readonly waits: boolean }): Promise<RunQuotaAnswer>;
  /** Renews the leases of places under the limits of `place`, also of those that the database has lost. */
  keep(place: RunPlace, ids: readonly string[]): Promise<void>;
  remove(place: RunPlace): Promise<void>;
  count(names: TenantScoped & { readonly names: readonly string[] }): Promise<readonly number[]>;
}

export interface SharedRunQuotaOptions {
  readonly places: SharedRunPlaces;
  readonly logger: Logger;
}

/** The places under the same limits, whose leases are renewed together. */
interface Held {
  readonly place: RunPlace;
  readonly ids: Set<string>;
}

/**
 * Counts the runs of all processes in a database. A place has a lease, which its process renews each third of it; a place
 * ends when it is left, or with its lease if its process is lost. After the database has lost data, each process adds its
 * places again with its next renewal. Until all processes have had the time for that, answers are not sure (`isSure`).
 */
export class SharedRunQuota implements RunQuota, AsyncDisposable {
  readonly #places: SharedRunPlaces;
  readonly #logger: Logger;
  readonly #held = new Map<string, Held>();
  /** Places whose removal failed: they would be counted until their leases end. */
  readonly #failedRemovals = new Set<RunPlace>();
  /** A place that was left is removed after these: they could add it again. */
  readonly #keeping = new Set<Promise<void>>();
  /** A place is taken after these: what this process has left is free for it. */
  readonly #removing = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;

  constructor({ places, logger }: SharedRunQuotaOptions) {
    this.#places = places;
    this.#logger = logger;
  }

  /** Called when the database can be reached again. */
  retry(): void {
    for (const place of this.#failedRemovals) this.#remove(place);
    this.#keepAll();
  }

  async take(place: RunPlace, options: { readonly waits: boolean }): Promise<RunQuotaAnswer> {
    if (this.#removing.size > 0) await Promise.all(this.#removing);
    const answer = await this.#places.take(place, options);
    if (answer.kind === "taken") this.hold(place);
    return answer;
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

  count(asked: TenantScoped & { readonly names: readonly string[] }): Promise<readonly number[]> {
    return this.#places.count(asked);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop();
  }

  #remove(place: RunPlace): void {
    this.#failedRemovals.delete(place);
    const removing = Promise.all(this.#keeping)
      .then(() => this.#places.remove(place))
      .catch((error: unknown) => {
        this.#logger.debug({ error }, "a place of a run was not removed");
        this.#failedRemovals.add(place);
        setTimeout(() => this.#failedRemovals.delete(place), place.leaseMs).unref();
      })
      .finally(() => this.#removing.delete(removing));
    this.#removing.add(removing);
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #keepAll(): void {
    for (const { place, ids } of this.#held.values()) {
      const keeping = this.#places
        .keep(place, [...ids])
        .catch((error: unknown) => this.#logger.debug({ error }, "places of runs were not renewed"))
        .finally(() => this.#keeping.delete(keeping));
      this.#keeping.add(keeping);
    }
  }
}

/** Names of limits have no carriage return, so no two lists share a name. */
function limitsName({ tenantId, limits }: RunPlace): string {
  return tenantKey(limits.map(({ name }) => name).join("\r"), tenantId);
}
