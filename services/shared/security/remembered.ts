/** The most entries; the oldest is removed. */
const MAX_REMEMBERED = 4096;

interface Entry<Value> {
  readonly value: Value;
  readonly untilMs: number;
}

/** Values that are valid until an instant, by name. */
export class Remembered<Value> {
  readonly #entries = new Map<string, Entry<Value>>();

  /** The value, unless it is not valid any more at `now`, in milliseconds since the epoch. */
  get(name: string, now: number): Value | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined || entry.untilMs > now) return entry?.value;
    this.#entries.delete(name);
    return undefined;
  }

  put(name: string, value: Value, untilMs: number): void {
    this.#entries.delete(name);
    this.#entries.set(name, { value, untilMs });
    if (this.#entries.size <= MAX_REMEMBERED) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  clear(): void {
    this.#entries.clear();
  }
}
