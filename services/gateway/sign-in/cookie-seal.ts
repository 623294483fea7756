import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { JsonObject } from "#kit/platform/json.ts";

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** What a sealed text is for. One that was sealed for another purpose cannot be opened. */
export type SealPurpose = "session" | "flow" | "refresh";

/** Encrypts texts that browsers keep for this server, so that they can be neither read nor changed. */
export class CookieSeal {
  readonly #keys: () => readonly Buffer[];

  /** The first key seals, all of them open. Each has 32 bytes. */
  constructor(keys: () => readonly Buffer[]) {
    this.#keys = keys;
  }

  seal(purpose: SealPurpose, content: JsonObject): string {
    const [key] = this.#keys();
    if (key === undefined) throw new Error("There is no key for cookies.");
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(purpose));
    const sealed = [nonce, cipher.update(JSON.stringify(content), "utf8"), cipher.final(), cipher.getAuthTag()];
    return Buffer.concat(sealed).toString("base64url");
  }

  /** The content; undefined for a text that none of the keys has sealed for this purpose. */
  open(purpose: SealPurpose, text: string): unknown {
    const bytes = Buffer.from(text, "base64url");
    if (bytes.length <= NONCE_BYTES + TAG_BYTES) return undefined;
    for (const key of this.#keys()) {
      const content = decrypt(key, purpose, bytes);
      if (content !== undefined) return JSON.parse(content);
    }
    return undefined;
  }
}

function decrypt(key: Buffer, purpose: SealPurpose, bytes: Buffer): string | undefined {
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(purpose)).setAuthTag(bytes.subarray(-TAG_BYTES));
  const start = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, "utf8");
  try {
    return start + decipher.final("utf8");
  } catch {
    // Another key has sealed it, or somebody has changed it.
    return undefined;
  }
}
