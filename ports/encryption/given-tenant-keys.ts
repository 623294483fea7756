import { PlatformError } from "#kit/errors/platform-error.ts";
import { isTenantId } from "#kit/names/tenant.ts";
import type { KeyProvider } from "./key-provider.ts";
import { LocalKeyProvider } from "./local-key-provider.ts";

/** Keys that a program passes in, by tenant. */
export interface LocalKeys {
  /**
   * Keys of 32 bytes by tenant id; `default` is for data without a tenant. The first key encrypts, all keys decrypt.
   */
  readonly tenants: Readonly<Record<string, readonly Uint8Array[]>>;
}

const KEY_BYTES = 32;

/** A key provider with these keys, which are copied. Throws `INVALID_FIELD` for a wrong key, without its bytes. */
export function createLocalKeyProvider({ tenants }: LocalKeys): KeyProvider {
  const keys = new Map(Object.entries(tenants).map(([tenantId, given]) => [tenantId, copyKeys(tenantId, given)]));
  return new LocalKeyProvider(() => keys);
}

function copyKeys(tenantId: string, keys: unknown): readonly Buffer[] {
  if (!isTenantId(tenantId))
    throw refusal("has a name that is not a tenant id: use lower-case letters, digits and hyphens");
  if (!Array.isArray(keys) || keys.length === 0) throw refusal(`needs a list of keys for ${tenantId}`);
  return keys.map((key: unknown, index) => {
    if (key instanceof Uint8Array && key.length === KEY_BYTES) return Buffer.from(key);
    throw refusal(`needs ${KEY_BYTES} bytes as key ${index + 1} of ${tenantId}`);
  });
}

function refusal(problem: string): PlatformError {
  return new PlatformError("INVALID_FIELD", `localKeyProvider: tenants ${problem}.`, { details: { field: "tenants" } });
}
