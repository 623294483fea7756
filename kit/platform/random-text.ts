import { randomBytes, randomFillSync } from "node:crypto";

/** One call of the system's generator costs about as much as a thousand bytes of it. */
const POOL_BYTES = 4096;

const pool = Buffer.allocUnsafeSlow(POOL_BYTES);
let used = POOL_BYTES;

/** A text that no one can guess, from as many random bytes, in characters of URLs. */
export function randomText(bytes: number): string {
  if (bytes > POOL_BYTES) throw new RangeError(`A random text has at most ${POOL_BYTES} bytes.`);
  if (used + bytes > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  const taken = pool.subarray(used, used + bytes);
  used += bytes;
  const text = taken.toString("base64url");
  // Bytes that have been returned are not kept in memory.
  taken.fill(0);
  return text;
}

/** An id that binds two parts of one stored object to each other. */
export function newContentId(): string {
  return randomBytes(8).toString("hex");
}
