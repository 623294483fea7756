import type { KeyRecord } from "#kit/identity/key-store.ts";
import type { Caller } from "../caller.ts";
import { isScope } from "../scopes.ts";

/** A key of the store in the form in which requests are compared with it. */
export interface KnownKey {
  readonly digest: Buffer;
  readonly isRevoked: boolean;
  readonly caller: Caller;
}

export function toKnownKey({ id, digest, scopes, userId, apps, expiresAtMs, revokedAtMs }: KeyRecord): KnownKey {
  return {
    digest: Buffer.from(digest, "hex"),
    isRevoked: revokedAtMs !== undefined,
    caller: {
      source: "api-key",
      subject: `key:${id}`,
      userId,
      apps,
      groups: [],
      // A newer version may have stored scopes that this one does not have.
      scopes: new Set(scopes.filter(isScope)),
      keyId: id,
      ...(expiresAtMs !== undefined && { expiresAtMs }),
    },
  };
}
