import { tenantOf } from "#kit/names/tenant.ts";
import type { KeyRecord } from "#ports/api-keys/key-store.ts";
import type { Caller } from "../caller.ts";
import { isScope } from "../scopes.ts";

/** A key of the store in the form in which requests are compared with it. */
export interface KnownKey {
  readonly digest: Buffer;
  readonly isRevoked: boolean;
  readonly caller: Caller;
}

export function toKnownKey(record: KeyRecord): KnownKey {
  const { id, digest, scopes, userId, apps, expiresAtMs, revokedAtMs } = record;
  return {
    digest: Buffer.from(digest, "hex"),
    isRevoked: revokedAtMs !== undefined,
    caller: {
      source: "api-key",
      subject: `key:${id}`,
      tenantId: tenantOf(record),
      userId,
      apps,
      groups: [],
      // A newer version may have stored scopes that this one does not have.
      scopes: new Set(scopes.filter(isScope)),
      keyId: id,
      expiresAtMs,
    },
  };
}
