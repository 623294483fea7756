/** Fewer removed entries than this are not worth a new table. */
const MIN_REMOVED = 64;

/**
 * A map of entries that live for a short time, such as the runs in progress. It costs the garbage collector less than a
 * `Map`.
 *
 * V8 replaces the table of a `Map` from time to time, and each old table refers to the next one. Once a table is in V8's
 * old generation, every later table counts as reachable until the next full collection, and so does every value that was
 * in one of them, although it was removed. Under load the values of all runs thereby outlive their runs, are copied into
 * the old generation, and let it grow. This map moves its entries into a new `Map` before that chain can form.
 *
 * An iteration sees the entries that were there when it began, also those that are removed during it.
 */
export class TransientMap<Key, Value> implements Iterable<readonly [Key, Value]> {
  #map = new Map<Key, Value>();
  #removed = 0;

  get size(): number {
    return this.#map.size;
  }

  get(key: Key): Value | undefined {
    return this.#map.get(key);
  }

  has(key: Key): boolean {
    return this.#map.has(key);
  }

  set(key: Key, value: Value): void {
    this.#map.set(key, value);
  }

  delete(key: Key): void {
    if (!this.#map.delete(key)) return;
    this.#removed += 1;
    // The table of a new map has room for at least as many removed entries as there are entries.
    if (this.#removed < MIN_REMOVED || this.#removed * 2 < this.#map.size) return;
    this.#removed = 0;
    this.#map = new Map(this.#map);
  }

  clear(): void {
    this.#map = new Map();
    this.#removed = 0;
  }

  values(): readonly Value[] {
    return [...this.#map.values()];
  }

  [Symbol.iterator](): IterableIterator<readonly [Key, Value]> {
    return [...this.#map].values();
  }
}
