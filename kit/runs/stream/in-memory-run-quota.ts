import { type TenantScoped, tenantKey } from "#kit/names/tenant.ts";
import type { Clock } from "#kit/platform/clock.ts";
import { RUN_QUOTA_QUEUE_MS, type RunPlace, type RunQuota, type RunQuotaAnswer } from "./run-quota.ts";

interface Counted {
  readonly taken: Set<string>;
  /** When each waiting caller has asked last. */
  readonly queue: Map<string, number>;
}

/** Counts the runs of the runners in one process. Counts are never lost, so every answer is sure. */
export class InMemoryRunQuota implements RunQuota {
  readonly #clock: Clock;
  readonly #counted = new Map<string, Counted>();

  constructor({ clock }: { readonly clock: Clock }) {
    this.#clock = clock;
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
    const lapsed = this.#clock.monotonic() - RUN_QUOTA_QUEUE_MS;
    for (const [id, askedAt] of counted.queue) if (askedAt <= lapsed) counted.queue.delete(id);
    return counted.taken.size + (waits ? 0 : counted.queue.size) >= max;
  }

  #of(name: string): Counted {
    const known = this.#counted.get(name);
    if (known !== undefined) return known;
    const counted: Counted = { taken: new Set(), queue: new Map() };
    this.#counted.set(name, counted);
    return counted;
  }
}
