const SAMPLE_MS = 50;

/** The most memory that processes have while it watches, above what they had before. */
export class MemoryWatch implements Disposable {
  readonly #read: () => number;
  readonly #idle: number;
  #most: number;
  readonly #timer: NodeJS.Timeout;

  constructor(read: () => number) {
    this.#read = read;
    this.#idle = read();
    this.#most = this.#idle;
    this.#timer = setInterval(() => this.#sample(), SAMPLE_MS);
  }

  get grownMebibytes(): number {
    this.#sample();
    return Math.round((this.#most - this.#idle) / 2 ** 20);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #sample(): void {
    this.#most = Math.max(this.#most, this.#read());
  }
}
