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
    const time = this.#now().toString(16).padStart(12, "0");
    const byte = (offset: number): number => this.#pool[at + offset] ?? 0;
    const hex = (offset: number): string => HEX[byte(offset)] ?? "00";
    const version = HEX[0x70 | (byte(0) & 0x0f)];
    const variant = HEX[0x80 | (byte(2) & 0x3f)];
    return (
      `${time.slice(0, 8)}-${time.slice(8)}-${version}${hex(1)}-${variant}${hex(3)}-` +
      `${hex(4)}${hex(5)}${hex(6)}${hex(7)}${hex(8)}${hex(9)}`
    );
  }
}
