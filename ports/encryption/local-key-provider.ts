import { createHash } from "node:crypto";
import { decryptGcm, encryptGcm } from "./aes-gcm.ts";
import { contentKeyUnavailable, contentUnreadable } from "./content-errors.ts";
import type { KeyProvider } from "./key-provider.ts";
import { Nonces } from "./random-bytes.ts";

/** The key-encryption keys of each tenant, 32 bytes each, the newest first. */
export type TenantKeys = ReadonlyMap<string, readonly Buffer[]>;

const ID_BYTES = 8;

/**
 * Key-encryption keys in the memory of the process. A wrapped key is the id of the key-encryption key, the nonce, the
 * tag and the encrypted data key; it is bound to its tenant.
 */
export class LocalKeyProvider implements KeyProvider {
  readonly #keys: () => TenantKeys;
  readonly #nonces = new Nonces();

  /** The function returns the current keys: they are asked for with each call. */
  constructor(keys: () => TenantKeys) {
    this.#keys = keys;
  }

  async wrap(tenantId: string, dataKey: Uint8Array): Promise<Uint8Array> {
    const [key] = this.#keys().get(tenantId) ?? [];
    if (key === undefined) throw contentKeyUnavailable(tenantId);
    const nonce = this.#nonces.next();
    return Buffer.concat([keyId(key), ...encryptGcm(key, dataKey, { nonce, authenticated: tenantId })]);
  }

  async unwrap(tenantId: string, wrapped: Uint8Array): Promise<Uint8Array> {
    const bytes = Buffer.from(wrapped);
    const id = bytes.subarray(0, ID_BYTES);
    const key = this.#keys()
      .get(tenantId)
      ?.find((each) => keyId(each).equals(id));
    if (key === undefined) throw contentKeyUnavailable(tenantId);
    const dataKey = decryptGcm(key, bytes.subarray(ID_BYTES), tenantId);
    if (dataKey === undefined) throw contentUnreadable(tenantId);
    return dataKey;
  }
}

/** Names the key without revealing it. */
function keyId(key: Buffer): Buffer {
  return createHash("sha256").update(key).digest().subarray(0, ID_BYTES);
}
