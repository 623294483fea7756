import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { ContentEncryption } from "#ports/encryption/content-encryption.ts";
import { ContentKeys } from "#ports/encryption/content-keys.ts";
import type { KeyProvider } from "#ports/encryption/key-provider.ts";
import { LocalKeyProvider } from "#ports/encryption/local-key-provider.ts";

/** A key-encryption key of 32 equal bytes. */
export function keyOf(byte: number): Buffer {
  return Buffer.alloc(32, byte);
}

/** Keys of tenants that a test changes, the newest first, and the encryption of a process that has them. */
export interface TenantKeysWorld {
  readonly keys: Map<string, readonly Buffer[]>;
  readonly clock: FixedClock;
  readonly provider: KeyProvider;
  /** Another process with the same keys. */
  readonly start: () => ContentEncryption;
}

export function createTenantKeys(): TenantKeysWorld {
  const keys = new Map(["default", "acme", "globex"].map((tenantId, index) => [tenantId, [keyOf(index + 1)]] as const));
  const world: Map<string, readonly Buffer[]> = new Map(keys);
  const clock = new FixedClock();
  const provider = new LocalKeyProvider(() => world);
  return {
    keys: world,
    clock,
    provider,
    start: () => new ContentEncryption(new ContentKeys({ provider, clock })),
  };
}
