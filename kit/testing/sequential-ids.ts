import type { IdGenerator } from "../platform/id-generator.ts";

/** Predictable ids for tests: the prefix, a dash, and a number from 1. */
export class SequentialIds implements IdGenerator {
  readonly #prefix: string;
  #last = 0;

  constructor(prefix = "id") {
    this.#prefix = prefix;
  }

  next(): string {
    this.#last += 1;
    return `${this.#prefix}-${this.#last}`;
  }
}
