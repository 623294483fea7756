import { PlatformError } from "#kit/errors/platform-error.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { RunnerConfig } from "./config.ts";

type Limits = Pick<
  RunnerConfig,
  "MAX_CONCURRENT_RUNS" | "MAX_CONCURRENT_RUNS_PER_APP" | "MAX_CONCURRENT_RUNS_PER_USER"
>;
type Owner = Pick<SessionKey, "appName" | "userId">;

interface Waiting {
  readonly owner: Owner;
  readonly enter: () => void;
}

/** A run ends within seconds, as a rule. */
const RETRY_AFTER_SECONDS = "2";

/** How many runs this process executes at once, in all, of one app and of one user. Those in line for a session need no slot. */
export class RunSlots {
  readonly #limits: Limits;
  readonly #apps: Counts | undefined;
  readonly #users: Counts | undefined;
  readonly #waiting = new Set<Waiting>();
  #busy = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
    if (limits.MAX_CONCURRENT_RUNS_PER_APP > 0) this.#apps = new Counts(limits.MAX_CONCURRENT_RUNS_PER_APP);
    if (limits.MAX_CONCURRENT_RUNS_PER_USER > 0) this.#users = new Counts(limits.MAX_CONCURRENT_RUNS_PER_USER);
  }

  get busy(): number {
    return this.#busy;
  }

  /** Takes a slot until the returned function is called, once. Throws `RUNNER_BUSY`. */
  take(owner: Owner): () => void {
    const limit = this.#exceeded(owner);
    if (limit === undefined) return this.#enter(owner);
    throw new PlatformError("RUNNER_BUSY", `${PLENTY[limit]} Try again soon.`, {
      details: { limit, retryAfterSeconds: RETRY_AFTER_SECONDS },
    });
  }

  /** The same; undefined when there is none. */
  tryTake(owner: Owner): (() => void) | undefined {
    return this.#exceeded(owner) === undefined ? this.#enter(owner) : undefined;
  }

  /** Waits for a slot; undefined when the signal is aborted. Of those who wait, the user with the fewest runs is next. */
  async wait(owner: Owner, signal: AbortSignal): Promise<(() => void) | undefined> {
    if (signal.aborted) return undefined;
    const free = this.tryTake(owner);
    if (free !== undefined) return free;
    const { promise, resolve } = Promise.withResolvers<(() => void) | undefined>();
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

  #exceeded(owner: Owner): keyof Limits | undefined {
    const { MAX_CONCURRENT_RUNS } = this.#limits;
    if (MAX_CONCURRENT_RUNS > 0 && this.#busy >= MAX_CONCURRENT_RUNS) return "MAX_CONCURRENT_RUNS";
    if (this.#apps?.isFull(owner.appName) === true) return "MAX_CONCURRENT_RUNS_PER_APP";
    return this.#users?.isFull(userOf(owner)) === true ? "MAX_CONCURRENT_RUNS_PER_USER" : undefined;
  }

  #enter(owner: Owner): () => void {
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

const PLENTY: Readonly<Record<keyof Limits, string>> = {
  MAX_CONCURRENT_RUNS: "This server executes as many runs as it may.",
  MAX_CONCURRENT_RUNS_PER_APP: "As many runs of this app are under way as are allowed.",
  MAX_CONCURRENT_RUNS_PER_USER: "As many runs of this user are under way as are allowed.",
};

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
