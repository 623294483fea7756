import type { PlatformSlots } from "./platform-slots.ts";
import { busy, type LeaveSlot, type Owner, type RunLimits } from "./run-limits.ts";

interface Waiting {
  readonly owner: Owner;
  readonly enter: () => void;
}

/**
 * How many runs are executed at once: in all by this process, and of one app and of one user by all processes, where those are asked.
 * Runs in line for a session need no slot.
 */
export class RunSlots {
  readonly #limits: RunLimits;
  readonly #platform: PlatformSlots | undefined;
  readonly #apps: Counts | undefined;
  readonly #users: Counts | undefined;
  readonly #waiting = new Set<Waiting>();
  #busy = 0;

  constructor(limits: RunLimits, platform?: PlatformSlots) {
    this.#limits = limits;
    this.#platform = platform;
    if (limits.MAX_CONCURRENT_RUNS_PER_APP > 0) this.#apps = new Counts(limits.MAX_CONCURRENT_RUNS_PER_APP);
    if (limits.MAX_CONCURRENT_RUNS_PER_USER > 0) this.#users = new Counts(limits.MAX_CONCURRENT_RUNS_PER_USER);
  }

  get busy(): number {
    return this.#busy;
  }

  /** Takes a slot until the returned function is called, once. Throws `RUNNER_BUSY`; a promise only where other processes are asked. */
  take(owner: Owner): LeaveSlot | Promise<LeaveSlot> {
    const limit = this.#exceeded(owner);
    if (limit !== undefined) throw busy(limit);
    const leave = this.#enter(owner);
    return this.#platform === undefined ? leave : this.#platform.take(owner, leave);
  }

  /** The same; undefined when there is none. A run that is taken up may have a record as one under way. */
  tryTake(
    owner: Owner,
    { hasRecord = false }: { readonly hasRecord?: boolean } = {},
  ): LeaveSlot | undefined | Promise<LeaveSlot | undefined> {
    if (this.#exceeded(owner) !== undefined) return undefined;
    const leave = this.#enter(owner);
    return this.#platform === undefined ? leave : this.#platform.tryTake(owner, { leave, hasRecord });
  }

  /** Waits for a slot; undefined when the signal is aborted. Of those who wait, the user with the fewest runs is next. */
  async wait(owner: Owner, signal: AbortSignal): Promise<LeaveSlot | undefined> {
    const platform = this.#platform;
    return platform === undefined
      ? this.#wait(owner, signal)
      : platform.wait(owner, { signal, enter: () => this.#wait(owner, signal) });
  }

  async #wait(owner: Owner, signal: AbortSignal): Promise<LeaveSlot | undefined> {
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

  #exceeded(owner: Owner): keyof RunLimits | undefined {
    const { MAX_CONCURRENT_RUNS } = this.#limits;
    if (MAX_CONCURRENT_RUNS > 0 && this.#busy >= MAX_CONCURRENT_RUNS) return "MAX_CONCURRENT_RUNS";
    if (this.#apps?.isFull(owner.appName) === true) return "MAX_CONCURRENT_RUNS_PER_APP";
    return this.#users?.isFull(userOf(owner)) === true ? "MAX_CONCURRENT_RUNS_PER_USER" : undefined;
  }

  #enter(owner: Owner): LeaveSlot {
    this.#busy += 1;
    this.#apps?.add(owner.appName, 1);
    this.#users?.add(userOf(owner), 1);
    return () => this.#leave(owner);
  }

  #leave(owner: Owner): void {
    this.#busy -= 1;
    this.#apps?.add(owner.appName, -1);
    this.#users?.add(userOf(owner), -1);
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
      const runs = this.#users?.of(userOf(waiting.owner)) ?? 0;
      if (runs >= fewest) continue;
      next = waiting;
      fewest = runs;
    }
    return next;
  }
}

class Counts {
  readonly #limit: number;
  readonly #counts = new Map<string, number>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  isFull(name: string): boolean {
    return this.of(name) >= this.#limit;
  }

  add(name: string, change: number): void {
    const count = this.of(name) + change;
    if (count === 0) this.#counts.delete(name);
    else this.#counts.set(name, count);
  }
}

/** Identifiers have no control characters, so that no two users share a name. */
function userOf({ appName, userId }: Owner): string {
  return `${appName}\n${userId}`;
}
