/** The most entries. At least half as many of the most recently used ones are kept. */
const MAX_REMEMBERED = 4096;

interface Entry<Value> {
  readonly value: Value;
  readonly untilMs: number;
}

/**
 * Values by name, each valid until a given time. They are kept in two maps, of which the older is dropped as a whole.
 * To remove old entries one by one would be slow: a `Map` keeps removed entries in its table for some time, and each
 * search for the oldest entry passes over all of them.
 */
export class Remembered<Value> {
  #recent = new Map<string, Entry<Value>>();
  #older = new Map<string, Entry<Value>>();

  get size(): number {
    return this.#recent.size + this.#older.size;
  }

  /** The value; undefined if there is none, or if it is no longer valid at `now`, in milliseconds since the epoch. */
  get(name: string, now: number): Value | undefined {
    const recent = this.#recent.get(name);
    const entry = recent ?? this.#older.get(name);
    if (entry === undefined || entry.untilMs <= now) return undefined;
    if (recent === undefined) this.#add(name, entry);
    return entry.value;
  }

  put(name: string, value: Value, untilMs: number): void {
    this.#add(name, { value, untilMs });
  }

  clear(): void {
    this.#recent = new Map();
    this.#older = new Map();
  }

  #add(name: string, entry: Entry<Value>): void {
    if (this.#recent.size >= MAX_REMEMBERED / 2) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(name, entry);
  }
}
