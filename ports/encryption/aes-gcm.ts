import { createCipheriv, createDecipheriv, type KeyObject } from "node:crypto";

const CIPHER = "aes-256-gcm";
export const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts with AES-256-GCM: the nonce, the tag and the ciphertext. The caller must use each nonce only once with a
 * key.
 */
export function encryptGcm(
  key: KeyObject | Uint8Array,
  plain: Uint8Array,
  { nonce, authenticated }: { readonly nonce: Uint8Array; readonly authenticated: string },
): readonly Uint8Array[] {
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(authenticated, "utf8"));
  const encrypted = cipher.update(plain);
  cipher.final();
  return [nonce, cipher.getAuthTag(), encrypted];
}

/** Decrypts what `encryptGcm` encrypted; undefined if the bytes, the key or the authenticated text differ. */
export function decryptGcm(key: KeyObject | Uint8Array, bytes: Buffer, authenticated: string): Buffer | undefined {
  const tagEnd = NONCE_BYTES + TAG_BYTES;
  if (bytes.length < tagEnd) return undefined;
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(authenticated, "utf8"));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, tagEnd));
  const plain = decipher.update(bytes.subarray(tagEnd));
  try {
    decipher.final();
  } catch {
    // Node reports a wrong tag only by this error.
    return undefined;
  }
  return plain;
}
