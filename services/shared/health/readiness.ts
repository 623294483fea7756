/** Which parts of the process are not ready to take traffic, by name. */
export class Readiness {
  readonly #notReady: Set<string>;
  readonly #listeners: ((isReady: boolean) => void)[] = [];
  #isReady: boolean;

  constructor(parts: readonly string[]) {
    this.#notReady = new Set(parts);
    this.#isReady = parts.length === 0;
  }

  ready(part: string): void {
    this.#notReady.delete(part);
    this.#notify();
  }

  notReady(part: string): void {
    this.#notReady.add(part);
    this.#notify();
  }

  get missing(): readonly string[] {
    return [...this.#notReady].sort();
  }

  /** Calls the listener immediately, and again whenever the process as a whole becomes ready or not ready. */
  onChange(listener: (isReady: boolean) => void): void {
    this.#listeners.push(listener);
    listener(this.#isReady);
  }

  #notify(): void {
    const isReady = this.#notReady.size === 0;
    if (isReady === this.#isReady) return;
    this.#isReady = isReady;
    for (const listener of this.#listeners) listener(isReady);
  }
}
