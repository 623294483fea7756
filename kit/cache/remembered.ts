/** The most entries. Those that were put or found last are half of them at least. */
const MAX_REMEMBERED = 4096;

interface Entry<Value> {
  readonly value: Value;
  readonly untilMs: number;
}

/**
 * Values that are valid until an instant, by name. They are in two maps, of which the older is dropped as a whole: the
 * first entry of a map from which entries are removed one by one is found only behind all the removed ones.
 */
export class Remembered<Value> {
  #recent = new Map<string, Entry<Value>>();
  #older = new Map<string, Entry<Value>>();

  get size(): number {
    return this.#recent.size + this.#older.size;
  }

  /** The value, unless it is not valid any more at `now`, in milliseconds since the epoch. */
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
