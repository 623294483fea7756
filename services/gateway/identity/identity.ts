import type { KeyStore } from "#ports/api-keys/key-store.ts";
import type { Authenticator } from "./authenticator.ts";
import type { Caller } from "./caller.ts";
import type { SignInProvider } from "./sign-in-provider.ts";

/** How this server identifies its callers; there is none with AUTH=none. */
export interface Identity {
  /** In the order of AUTH: the first one that finds a caller counts. */
  readonly authenticators: readonly Authenticator[];
  /** Present if callers may have API keys. */
  readonly apiKeys?: ManagedKeys;
  /** The identity providers with which pages sign in. */
  readonly signInProviders: readonly SignInProvider[];
}

export interface ManagedKeys {
  readonly store: KeyStore;
  /** Makes this process read the key again before it accepts it. Others do so within a minute. */
  forget(keyId: string): void;
  /** The caller with this key, which a client of this address sends. Throws `UNAUTHENTICATED` and `IDENTITY_UNAVAILABLE`. */
  callerOf(key: string, address: string | undefined): Caller | Promise<Caller>;
  /** The caller of a session that began with the key; undefined if there is none. Throws as `callerOf` does. */
  callerOfId(keyId: string): Promise<Caller | undefined>;
}
