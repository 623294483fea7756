import { createHash, createSecretKey, hkdfSync, type KeyObject } from "node:crypto";
import type { AuthCredential } from "#kit/credentials/auth-credential.ts";
import type { CredentialOwner } from "#kit/credentials/credential-service.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { tenantOf } from "#kit/names/tenant.ts";
import { decryptGcm, encryptGcm } from "#ports/encryption/aes-gcm.ts";
import { type ContentSealer, plainContent } from "#ports/encryption/content-sealer.ts";
import { Nonces } from "#ports/encryption/random-bytes.ts";
import type { CredentialKeys } from "./credential-keys.ts";
import { credentialText } from "./credential-rules.ts";
import type { SealedCredential } from "./sealed-credentials.ts";

/** Where a sealed credential is kept: it can be opened there only. */
export interface CredentialPlace {
  readonly owner: CredentialOwner;
  readonly credentialKey: string;
  readonly version: number;
}

const MARK = "flc1";
const DERIVED_BYTES = 32;
const PURPOSE = "fairlead credential";

/**
 * Seals credentials for stores with AES-256-GCM. A sealed text names its key; tenant, app, user, key and version are
 * authenticated with it. Each credential has an encryption key of its own, derived from the named one: however many there
 * are, no key is used for more random nonces than is safe.
 *
 * With a `content` sealer, which has a key for each tenant, the credential is encrypted under the tenant's key first. Then
 * methods may throw `MissingContentKey`.
 */
export class CredentialSealer {
  readonly #keys: () => CredentialKeys;
  readonly #content: ContentSealer;
  readonly #nonces = new Nonces();

  /** `keys` returns the current keys; it is called by each method, so keys can be rotated. */
  constructor(keys: () => CredentialKeys, content: ContentSealer = plainContent) {
    this.#keys = keys;
    this.#content = content;
  }

  /** Throws `INVALID_FIELD` for a credential that is too large, and `CONTENT_KEY_UNAVAILABLE`. */
  seal(credential: AuthCredential, place: CredentialPlace): string {
    const { current, keys } = this.#keys();
    const key = keys.get(current);
    if (key === undefined) throw keyUnavailable(current);
    const text = this.#content.sealText(credentialText(credential), contentPlaceOf(place));
    const parts = encryptGcm(derivedKey(key, place), Buffer.from(text, "utf8"), {
      nonce: this.#nonces.next(),
      authenticated: placeText(place, current),
    });
    return [MARK, current, Buffer.concat(parts).toString("base64url")].join(".");
  }

  /** Throws `CREDENTIAL_KEY_UNAVAILABLE`, `CREDENTIAL_UNREADABLE`, `CONTENT_KEY_UNAVAILABLE` and `CONTENT_UNREADABLE`. */
  open(sealed: string, place: CredentialPlace): AuthCredential {
    const [mark, keyName = "", bytes = "", ...rest] = sealed.split(".");
    if (mark !== MARK || keyName === "" || rest.length > 0) throw unreadable();
    const key = this.#keys().keys.get(keyName);
    if (key === undefined) throw keyUnavailable(keyName);
    const plain = decryptGcm(derivedKey(key, place), Buffer.from(bytes, "base64url"), placeText(place, keyName));
    if (plain === undefined) throw unreadable();
    const text = this.#content.openText(plain.toString("utf8"), contentPlaceOf(place));
    // Written by `seal` from a credential.
    return JSON.parse(text) as AuthCredential;
  }

  /**
   * The opened credential sealed with the current key; undefined if the text is sealed with that key already. Throws as
   * `seal` does.
   */
  renewed(sealed: string, credential: AuthCredential, place: CredentialPlace): string | undefined {
    return this.sealedWith(sealed).isCurrent ? undefined : this.seal(credential, place);
  }

  /** The name of the key that seals the text; empty if the text is damaged. */
  sealedWith(sealed: string): Pick<SealedCredential, "keyName" | "isCurrent"> {
    const [mark, keyName = ""] = sealed.split(".", 2);
    return mark === MARK ? { keyName, isCurrent: keyName === this.#keys().current } : { keyName: "", isCurrent: false };
  }
}

function derivedKey(key: Uint8Array, { owner, credentialKey }: CredentialPlace): KeyObject {
  // A digest, because Node accepts at most 1,024 bytes here.
  const info = createHash("sha256")
    .update(JSON.stringify([PURPOSE, ...nameOf(owner, credentialKey)]))
    .digest();
  // The key is uniformly random, and so needs no salt.
  return createSecretKey(Buffer.from(hkdfSync("sha256", key, new Uint8Array(), info, DERIVED_BYTES)));
}

function placeText({ owner, credentialKey, version }: CredentialPlace, keyName: string): string {
  return JSON.stringify([PURPOSE, keyName, ...nameOf(owner, credentialKey), version]);
}

function contentPlaceOf({ owner, credentialKey, version }: CredentialPlace) {
  return { tenantId: tenantOf(owner), parts: ["credential", owner.appName, owner.userId, credentialKey, version] };
}

function nameOf(owner: CredentialOwner, credentialKey: string): readonly string[] {
  return [tenantOf(owner), owner.appName, owner.userId, credentialKey];
}

function keyUnavailable(keyName: string): PlatformError {
  return new PlatformError(
    "CREDENTIAL_KEY_UNAVAILABLE",
    `The user's credential for the tool is sealed with the key ${keyName}, which the server does not have. Restore the key, or delete the credential.`,
    { details: { keyName } },
  );
}

function unreadable(): PlatformError {
  return new PlatformError(
    "CREDENTIAL_UNREADABLE",
    "The user's credential for the tool is damaged, was changed outside of the server, or is another one's. Delete it; the user is asked again.",
  );
}
