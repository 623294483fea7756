import { randomBytes, randomFillSync, randomInt } from "node:crypto";
import { NONCE_BYTES } from "./aes-gcm.ts";

const DATA_KEY_BYTES = 32;
const NONCES_AT_A_TIME = 256;
/** The most that the generator of random integers returns. */
const MAX_RANDOM_INTEGER = 2 ** 48 - 1;

export function newDataKey(): Buffer {
  return randomBytes(DATA_KEY_BYTES);
}

/**
 * A random version of a record. It needs no counter, and also differs if a record is deleted and written again, or if
 * several processes write it. Never 0.
 */
export function newRecordVersion(): number {
  return randomInt(1, MAX_RANDOM_INTEGER);
}

/** Creates many nonces with one call of the generator, which costs little more than a call for one. */
export class Nonces {
  readonly #bytes = Buffer.alloc(NONCE_BYTES * NONCES_AT_A_TIME);
  #used = NONCES_AT_A_TIME;

  /** Valid until the next call, which may overwrite the bytes. */
  next(): Buffer {
    if (this.#used === NONCES_AT_A_TIME) {
      randomFillSync(this.#bytes);
      this.#used = 0;
    }
    const start = this.#used * NONCE_BYTES;
    this.#used += 1;
    return this.#bytes.subarray(start, start + NONCE_BYTES);
  }
}
