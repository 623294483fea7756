import { randomBytes } from "node:crypto";

/** A text that no one can guess, from as many random bytes, in characters of URLs. */
export function randomText(bytes: number): string {
  return randomBytes(bytes).toString("base64url");
}
