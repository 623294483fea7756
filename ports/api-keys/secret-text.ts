import { randomBytes } from "node:crypto";

const SECRET_BYTES = 32;

/** A new secret of 256 random bits, as 43 characters of base64url. */
export function secretText(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}
