import { tenantKey } from "#kit/names/tenant.ts";
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
    for (const { of, name, max } of limitsOf(place)) {
      if (!this.#isFull(name, { max, waits })) continue;
      if (waits) this.#of(name).queue.set(place.id, this.#clock.monotonic());
      return { kind: "full", of };
    }
    this.hold(place);
    return { kind: "taken", isSure: true };
  }

  hold(place: RunPlace): void {
    for (const { name } of limitsOf(place)) {
      const counted = this.#of(name);
      counted.taken.add(place.id);
      counted.queue.delete(place.id);
    }
  }

  leave(place: RunPlace): void {
    for (const { name } of limitsOf(place)) {
      const counted = this.#counted.get(name);
      if (counted?.taken.delete(place.id) === true && counted.taken.size + counted.queue.size === 0)
        this.#counted.delete(name);
    }
  }

  #isFull(name: string, { max, waits }: { readonly max: number; readonly waits: boolean }): boolean {
    const counted = this.#counted.get(name);
    if (counted === undefined) return false;
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

/**
 * The user's limit first, so that a run that waits for it does not keep others from the app's. Identifiers have no
 * control characters, so that names are unique.
 */
function limitsOf({ tenantId, appName, userId, maxOfApp, maxOfUser }: RunPlace) {
  const limits = [
    { of: "user", name: tenantKey(`${appName}\n${userId}`, tenantId), max: maxOfUser },
    { of: "app", name: tenantKey(appName, tenantId), max: maxOfApp },
  ] as const;
  return limits.filter(({ max }) => max > 0);
}
