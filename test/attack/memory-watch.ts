import { readFileSync } from "node:fs";

const SAMPLE_MS = 50;
const PAGE_BYTES = 4096;

/** The most memory that one of several processes has while it watches, above what that process had before. */
export class MemoryWatch implements Disposable {
  readonly #read: () => readonly number[];
  readonly #idle: readonly number[];
  #most = 0;
  readonly #timer: NodeJS.Timeout;

  constructor(read: () => readonly number[]) {
    this.#read = read;
    this.#idle = read();
    this.#timer = setInterval(() => this.#sample(), SAMPLE_MS);
  }

  get grownMebibytes(): number {
    this.#sample();
    return Math.round(this.#most / 2 ** 20);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #sample(): void {
    for (const [index, bytes] of this.#read().entries())
      this.#most = Math.max(this.#most, bytes - (this.#idle[index] ?? bytes));
  }
}

/** Bytes of memory that the process has. */
export function residentBytesOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * PAGE_BYTES;
}
