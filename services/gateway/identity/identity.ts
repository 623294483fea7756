import type { KeyStore } from "#kit/identity/key-store.ts";
import type { Authenticator } from "./authenticator.ts";

/** How this server identifies its callers; there is none with AUTH=none. */
export interface Identity {
  /** In the order of AUTH: the first one that finds a caller counts. */
  readonly authenticators: readonly Authenticator[];
  /** Present if callers may have API keys. */
  readonly apiKeys?: ManagedKeys;
}

export interface ManagedKeys {
  readonly store: KeyStore;
  /** Makes this process read the key again before it accepts it. Others do so within a minute. */
  forget(keyId: string): void;
}
