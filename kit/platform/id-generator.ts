import { randomFillSync } from "node:crypto";

/** The only source of ids. Tests pass `SequentialIds`. */
export interface IdGenerator {
  /** A new id: unique, hard to guess, and sorted by the time of its creation. */
  next(): string;
}

const POOL_BYTES = 4096;
const DIGITS = "0123456789abcdef";
const DASH = "-".charCodeAt(0);

/** UUID version 7 (RFC 9562): 48 bits of Unix milliseconds, then 74 random bits. */
export class UuidV7Generator implements IdGenerator {
  readonly #pool = new Uint8Array(POOL_BYTES);
  #used = POOL_BYTES;
  #time = -1;
  /** The characters of the next id: the text is created from them in one step. */
  readonly #text = Buffer.alloc(36, DASH);
  readonly #now: () => number;

  constructor(now: () => number = () => Date.now()) {
    this.#now = now;
  }

  next(): string {
    this.#writeTime(this.#now());
    if (this.#used + 10 > POOL_BYTES) {
      randomFillSync(this.#pool);
      this.#used = 0;
    }
    this.#writeRandom(14, 0x70, 0x0f);
    this.#writeRandom(16);
    this.#writeRandom(19, 0x80, 0x3f);
    this.#writeRandom(21);
    for (let at = 24; at < 36; at += 2) this.#writeRandom(at);
    return this.#text.toString("latin1");
  }

  /** The first 48 bits, which many ids of one millisecond share. */
  #writeTime(time: number): void {
    if (time === this.#time) return;
    this.#time = time;
    const digits = time.toString(16).padStart(12, "0");
    this.#text.write(digits.slice(0, 8), 0, "latin1");
    this.#text.write(digits.slice(8), 9, "latin1");
  }

  /** Writes two digits at `at`: the fixed bits, and random ones where `mask` has bits. */
  #writeRandom(at: number, fixed = 0, mask = 0xff): void {
    const byte = fixed | ((this.#pool[this.#used] ?? 0) & mask);
    this.#used += 1;
    this.#text[at] = DIGITS.charCodeAt(byte >> 4);
    this.#text[at + 1] = DIGITS.charCodeAt(byte & 15);
  }
}
