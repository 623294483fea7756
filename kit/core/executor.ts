/** Decides when work may start. */
export interface Executor {
  /** Runs the work, immediately or later, and returns its result. */
  execute<Result>(work: () => Promise<Result>): Promise<Result>;
}

/**
 * An executor that runs at most `maxConcurrent` jobs at the same time; others wait in order of arrival. Agents with the
 * same executor share its slots. An agent that serves as a tool needs another executor than its caller, because the
 * caller keeps its slot while the tool runs.
 */
export class ConcurrencyLimit implements Executor {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  /** Throws `RangeError` for anything but a whole number from 1. */
  constructor(maxConcurrent: number) {
    if (!Number.isSafeInteger(maxConcurrent) || maxConcurrent < 1)
      throw new RangeError(`ConcurrencyLimit of ${maxConcurrent}: give a whole number from 1.`);
    this.#free = maxConcurrent;
  }

  async execute<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // The slot goes directly to the work that has waited longest.
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
