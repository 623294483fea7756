import { type TenantScoped, tenantKey } from "#kit/names/tenant.ts";
import type { Clock } from "#kit/platform/clock.ts";
import { RUN_QUOTA_QUEUE_MS, type RunPlace, type RunQuota, type RunQuotaAnswer } from "./run-quota.ts";

interface Counted {
  readonly taken: Set<string>;
  /** When each waiting caller has asked last. */
  readonly queue: Map<string, number>;
}

/**
 * Names without a run or a waiting caller are removed when there are this many names, and then each time their number has
 * doubled.
 */
const FIRST_SWEEP = 10_000;

/** Counts the runs of the runners in one process. Counts are never lost, so every answer is sure. */
export class InMemoryRunQuota implements RunQuota {
  readonly #clock: Clock;
  readonly #counted = new Map<string, Counted>();
  #sweepAt = FIRST_SWEEP;

  constructor({ clock }: { readonly clock: Clock }) {
    this.#clock = clock;
  }

  /** How many names are in memory. */
  get size(): number {
    return this.#counted.size;
  }

  async take(place: RunPlace, { waits }: { readonly waits: boolean }): Promise<RunQuotaAnswer> {
    for (const limit of place.limits) {
      const name = tenantKey(limit.name, place.tenantId);
      if (!this.#isFull(name, { max: limit.max, waits })) continue;
      if (waits) this.#of(name).queue.set(place.id, this.#clock.monotonic());
      return { kind: "full", limit };
    }
    this.hold(place);
    return { kind: "taken", isSure: true };
  }

  hold({ id, tenantId, limits }: RunPlace): void {
    for (const { name } of limits) {
      const counted = this.#of(tenantKey(name, tenantId));
      counted.taken.add(id);
      counted.queue.delete(id);
    }
  }

  async count({ tenantId, names }: TenantScoped & { readonly names: readonly string[] }): Promise<readonly number[]> {
    return names.map((name) => this.#counted.get(tenantKey(name, tenantId))?.taken.size ?? 0);
  }

  leave({ id, tenantId, limits }: RunPlace): void {
    for (const limit of limits) {
      const name = tenantKey(limit.name, tenantId);
      const counted = this.#counted.get(name);
      if (counted?.taken.delete(id) === true && counted.taken.size + counted.queue.size === 0)
        this.#counted.delete(name);
    }
  }

  #isFull(name: string, { max, waits }: { readonly max: number; readonly waits: boolean }): boolean {
    const counted = this.#counted.get(name);
    if (counted === undefined) return max === 0;
    this.#removeLapsed(counted);
    return counted.taken.size + (waits ? 0 : counted.queue.size) >= max;
  }

  /** Removes callers that have not asked again in time from the queue. */
  #removeLapsed({ queue }: Counted): void {
    const lapsed = this.#clock.monotonic() - RUN_QUOTA_QUEUE_MS;
    for (const [id, askedAt] of queue) if (askedAt <= lapsed) queue.delete(id);
  }

  #sweep(): void {
    for (const [name, counted] of this.#counted) {
      this.#removeLapsed(counted);
      if (counted.taken.size + counted.queue.size === 0) this.#counted.delete(name);
    }
    this.#sweepAt = Math.max(FIRST_SWEEP, 2 * this.#counted.size);
  }

  #of(name: string): Counted {
    const known = this.#counted.get(name);
    if (known !== undefined) return known;
    if (this.#counted.size >= this.#sweepAt) this.#sweep();
    const counted: Counted = { taken: new Set(), queue: new Map() };
    this.#counted.set(name, counted);
    return counted;
  }
}
