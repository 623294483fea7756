import type { Clock } from "#kit/platform/clock.ts";

/** A list as a server gave it, and for how long the server lets it be kept. */
export interface LoadedList<Item> {
  readonly items: readonly Item[];
  readonly ttlMs?: number | undefined;
}

const MAX_TTL_MS = 86_400_000;

/** A list of a server, kept until its time is over or the server reports a change. Concurrent readers load it once. */
export class ListCache<Item> {
  readonly #clock: Clock;
  readonly #defaultTtlMs: number;
  #kept: { readonly items: readonly Item[]; readonly until: number } | undefined;
  #last: readonly Item[] | undefined;
  #loading: Promise<readonly Item[]> | undefined;
  #changes = 0;

  constructor(clock: Clock, defaultTtlMs: number) {
    this.#clock = clock;
    this.#defaultTtlMs = defaultTtlMs;
  }

  async read(load: () => Promise<LoadedList<Item>>): Promise<readonly Item[]> {
    for (;;) {
      if (this.#kept !== undefined && this.#clock.now() < this.#kept.until) return this.#kept.items;
      if (this.#loading === undefined) break;
      try {
        return await this.#loading;
      } catch {
        // The other reader's run may have been cancelled; this one loads the list itself.
      }
    }
    this.#loading = this.#load(load).finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  /** The list that was read last, perhaps out of date; undefined before the first. */
  get last(): readonly Item[] | undefined {
    return this.#last;
  }

  /** The next reader loads the list again. */
  forget(): void {
    this.#kept = undefined;
    this.#changes += 1;
  }

  async #load(load: () => Promise<LoadedList<Item>>): Promise<readonly Item[]> {
    const changes = this.#changes;
    const { items, ttlMs = this.#defaultTtlMs } = await load();
    this.#last = items;
    // A list that changed while it was read may be the list before the change.
    if (changes === this.#changes) this.#kept = { items, until: this.#clock.now() + Math.min(ttlMs, MAX_TTL_MS) };
    return items;
  }
}
