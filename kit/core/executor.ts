/** Decides when work may start. */
export interface Executor {
  /** Runs the work, at once or later, and gives what came of it. */
  execute<Result>(work: () => Promise<Result>): Promise<Result>;
}

/**
 * An executor that lets so many pieces of work run at once; others wait in the order in which they came. Agents that
 * are given the same one share its places. An agent that serves as a tool needs another one than its caller, whose
 * place is taken while it works.
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
      // The place goes to who waited longest, without becoming free in between.
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
