import { appScopeName, NamedCounts, ownerName } from "#shared/metrics/named-counts.ts";
import type { PlatformSlots } from "./platform-slots.ts";
import { busy, type LeaveSlot, type RunLimits, type SlotOwner } from "./run-limits.ts";

interface Waiting {
  readonly owner: SlotOwner;
  readonly enter: () => void;
}

/**
 * Limits the number of runs that are executed at the same time: in total and of one user in this process, and of one
 * app and of one user over all processes if `platform` is given. Runs that are queued for a session need no slot.
 */
export class RunSlots {
  readonly #limits: RunLimits;
  readonly #platform: PlatformSlots | undefined;
  readonly #apps = new NamedCounts();
  readonly #users = new NamedCounts();
  readonly #waiting = new Set<Waiting>();
  #busy = 0;

  constructor(limits: RunLimits, platform?: PlatformSlots) {
    this.#limits = limits;
    this.#platform = platform;
  }

  get busy(): number {
    return this.#busy;
  }

  /**
   * Takes a slot until the returned function is called, once. Throws `RUNNER_BUSY`. Returns a promise only with a
   * `platform`.
   */
  take(owner: SlotOwner): LeaveSlot | Promise<LeaveSlot> {
    const limit = this.#exceeded(owner);
    if (limit !== undefined) throw busy(limit);
    const leave = this.#enter(owner);
    return this.#platform === undefined ? leave : this.#platform.take(owner, leave);
  }

  /** Like `take`, but returns undefined if no slot is free. A recovered run may have a record as an active one. */
  tryTake(
    owner: SlotOwner,
    { hasRecord = false }: { readonly hasRecord?: boolean } = {},
  ): LeaveSlot | undefined | Promise<LeaveSlot | undefined> {
    if (this.#exceeded(owner) !== undefined) return undefined;
    const leave = this.#enter(owner);
    return this.#platform === undefined ? leave : this.#platform.tryTake(owner, { leave, hasRecord });
  }

  /** Waits for a slot; returns undefined if the signal is aborted. The waiting user with the fewest runs is next. */
  async wait(owner: SlotOwner, signal: AbortSignal): Promise<LeaveSlot | undefined> {
    const platform = this.#platform;
    return platform === undefined
      ? this.#wait(owner, signal)
      : platform.wait(owner, { signal, enter: () => this.#wait(owner, signal) });
  }

  async #wait(owner: SlotOwner, signal: AbortSignal): Promise<LeaveSlot | undefined> {
    if (signal.aborted) return undefined;
    if (this.#exceeded(owner) === undefined) return this.#enter(owner);
    const { promise, resolve } = Promise.withResolvers<LeaveSlot | undefined>();
    const waiting: Waiting = { owner, enter: () => resolve(this.#enter(owner)) };
    const leave = (): void => {
      this.#waiting.delete(waiting);
      resolve(undefined);
    };
    this.#waiting.add(waiting);
    signal.addEventListener("abort", leave, { once: true });
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }

  #exceeded(owner: SlotOwner): keyof RunLimits | undefined {
    const runsOfUser = this.#users.of(ownerName(owner));
    if (this.#isFull("MAX_CONCURRENT_RUNS", this.#busy)) return "MAX_CONCURRENT_RUNS";
    if (this.#isFull("MAX_CONCURRENT_RUNS_PER_APP", this.#apps.of(appScopeName(owner))))
      return "MAX_CONCURRENT_RUNS_PER_APP";
    // Each process also enforces the limit of all processes, for the case that nothing counts over all of them.
    if (this.#isFull("MAX_CONCURRENT_RUNS_PER_USER", runsOfUser)) return "MAX_CONCURRENT_RUNS_PER_USER";
    return this.#isFull("MAX_PROCESS_RUNS_PER_USER", runsOfUser) ? "MAX_PROCESS_RUNS_PER_USER" : undefined;
  }

  #isFull(limit: keyof RunLimits, runs: number): boolean {
    const most = this.#limits[limit];
    return most > 0 && runs >= most;
  }

  #enter(owner: SlotOwner): LeaveSlot {
    this.#busy += 1;
    this.#apps.add(appScopeName(owner), 1);
    this.#users.add(ownerName(owner), 1);
    return () => this.#leave(owner);
  }

  #leave(owner: SlotOwner): void {
    this.#busy -= 1;
    this.#apps.add(appScopeName(owner), -1);
    this.#users.add(ownerName(owner), -1);
    if (this.#waiting.size === 0) return;
    const next = this.#next();
    if (next === undefined) return;
    this.#waiting.delete(next);
    next.enter();
  }

  #next(): Waiting | undefined {
    let next: Waiting | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (const waiting of this.#waiting) {
      if (this.#exceeded(waiting.owner) !== undefined) continue;
      const runs = this.#users.of(ownerName(waiting.owner));
      if (runs >= fewest) continue;
      next = waiting;
      fewest = runs;
    }
    return next;
  }
}
