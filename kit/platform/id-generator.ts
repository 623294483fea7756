import { randomFillSync } from "node:crypto";

/** The only source of ids. Tests pass `SequentialIds`. */
export interface IdGenerator {
  /** A new id: unique, hard to guess, and sorted by the time of its creation. */
  next(): string;
}

const POOL_BYTES = 4096;
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** UUID version 7 (RFC 9562): 48 bits of Unix milliseconds, then 74 random bits. */
export class UuidV7Generator implements IdGenerator {
  readonly #pool = new Uint8Array(POOL_BYTES);
  #used = POOL_BYTES;
  #time = 0;
  #timeDigits = "";
  readonly #now: () => number;

  constructor(now: () => number = () => Date.now()) {
    this.#now = now;
  }

  next(): string {
    if (this.#used + 10 > POOL_BYTES) {
      randomFillSync(this.#pool);
      this.#used = 0;
    }
    const at = this.#used;
    this.#used += 10;
    const byte = (offset: number): number => this.#pool[at + offset] ?? 0;
    const hex = (offset: number): string => HEX[byte(offset)] ?? "00";
    const version = HEX[0x70 | (byte(0) & 0x0f)];
    const variant = HEX[0x80 | (byte(2) & 0x3f)];
    return (
      `${this.#timePrefix()}-${version}${hex(1)}-${variant}${hex(3)}-` +
      `${hex(4)}${hex(5)}${hex(6)}${hex(7)}${hex(8)}${hex(9)}`
    );
  }

  /** The first 48 bits with their dash, cached because many ids share a millisecond. */
  #timePrefix(): string {
    const time = this.#now();
    if (time !== this.#time) {
      const digits = time.toString(16).padStart(12, "0");
      this.#time = time;
      this.#timeDigits = `${digits.slice(0, 8)}-${digits.slice(8)}`;
    }
    return this.#timeDigits;
  }
}
