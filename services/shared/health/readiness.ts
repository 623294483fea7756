/** Whether the process takes traffic, and which parts outside of it do not answer. */
export class Readiness {
  readonly #awaited: Set<string>;
  readonly #lost = new Set<string>();
  readonly #listeners: ((isReady: boolean) => void)[] = [];
  #isReady: boolean;

  constructor(parts: readonly string[]) {
    this.#awaited = new Set(parts);
    this.#isReady = parts.length === 0;
  }

  /** The process is not ready until the part is. */
  waitFor(part: string): void {
    this.#awaited.add(part);
    this.#notify();
  }

  ready(part: string): void {
    this.#awaited.delete(part);
    this.#lost.delete(part);
    this.#notify();
  }

  /** The part does not answer now, and the process takes traffic without it. */
  lost(part: string): void {
    this.#lost.add(part);
  }

  /** The parts that the process waits for before it takes traffic. */
  get missing(): readonly string[] {
    return [...this.#awaited].sort();
  }

  /** The parts that were ready and do not answer now, and the disks that are full. */
  get unavailable(): readonly string[] {
    return [...this.#lost].sort();
  }

  /** Calls the listener immediately, and again whenever the process as a whole becomes ready or not ready. */
  onChange(listener: (isReady: boolean) => void): void {
    this.#listeners.push(listener);
    listener(this.#isReady);
  }

  #notify(): void {
    const isReady = this.#awaited.size === 0;
    if (isReady === this.#isReady) return;
    this.#isReady = isReady;
    for (const listener of this.#listeners) listener(isReady);
  }
}

/** Is told what becomes of the parts that a process watches. */
export type PartStates = Pick<Readiness, "waitFor" | "ready" | "lost">;

/** The answer of `/ready`; `isVerbose` with the parts that do not answer although the process takes traffic. */
export function readinessAnswer(readiness: Pick<Readiness, "missing" | "unavailable">, isVerbose: boolean) {
  const { missing, unavailable } = readiness;
  const status = missing.length === 0 ? "ready" : "not ready";
  return {
    code: missing.length === 0 ? 200 : 503,
    body: {
      status,
      notReady: missing.length === 0 ? undefined : missing,
      unavailable: isVerbose ? unavailable : undefined,
    },
  };
}
