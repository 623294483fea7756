/** Counts the faults that were injected, by kind. */
export class FaultLog {
  readonly #counts = new Map<string, number>();

  add(kind: string): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  toString(): string {
    const kinds = [...this.#counts].toSorted(([left], [right]) => (left < right ? -1 : 1));
    return kinds.map(([kind, count]) => `${kind} ${count}`).join(", ") || "none";
  }
}
