/** Which parts of the process are not ready to take traffic, by name. */
export class Readiness {
  readonly #notReady: Set<string>;

  constructor(parts: readonly string[]) {
    this.#notReady = new Set(parts);
  }

  ready(part: string): void {
    this.#notReady.delete(part);
  }

  notReady(part: string): void {
    this.#notReady.add(part);
  }

  get missing(): readonly string[] {
    return [...this.#notReady].sort();
  }
}
