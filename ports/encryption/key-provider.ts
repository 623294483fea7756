/**
 * Holds the key-encryption keys of tenants, which never leave it: it encrypts and decrypts the data keys that encrypt
 * content. Both methods throw `CONTENT_KEY_UNAVAILABLE` if the tenant has no key, or none that opens the data key, and
 * `STORE_UNAVAILABLE` if the keys cannot be reached.
 */
export interface KeyProvider {
  /** The data key, encrypted under the tenant's newest key-encryption key; at most 4,096 bytes. */
  wrap(tenantId: string, dataKey: Uint8Array): Promise<Uint8Array>;
  /** Decrypts a data key that `wrap` has returned. Earlier key-encryption keys of the tenant are tried too. */
  unwrap(tenantId: string, wrapped: Uint8Array): Promise<Uint8Array>;
}
