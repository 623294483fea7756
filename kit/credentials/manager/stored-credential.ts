import type { AuthCredential } from "../auth-credential.ts";
import type { CredentialScope } from "../credential-scope.ts";
import type { StoredCredential } from "../credential-service.ts";

/** A token that ends this soon is renewed before it is used. */
const EARLY_MS = 30_000;

/** The user's stored credential. A run reads each from the store once. */
export function loadStored(scope: CredentialScope, credentialKey: string): Promise<StoredCredential | undefined> {
  const { known, owner, service } = scope;
  const name = nameOf(scope, credentialKey);
  const loaded = known.stored.get(name) ?? service.loadCredential(owner, credentialKey);
  known.stored.set(name, loaded);
  // A failure is not kept.
  loaded.catch(() => known.stored.delete(name));
  return loaded;
}

/** Reads the store again: another run may have changed the credential. */
export function reloadStored(scope: CredentialScope, credentialKey: string): Promise<StoredCredential | undefined> {
  scope.known.stored.delete(nameOf(scope, credentialKey));
  return loadStored(scope, credentialKey);
}

/** Keeps the credential, as `saveCredential` of the service; returns whether it was changed. */
export async function keepStored(
  scope: CredentialScope,
  credentialKey: string,
  credential: AuthCredential,
  ifVersion?: number,
): Promise<boolean> {
  const { known, owner, service } = scope;
  const version = await service.saveCredential(owner, credentialKey, credential, ifVersion);
  if (version === undefined) known.stored.delete(nameOf(scope, credentialKey));
  else known.stored.set(nameOf(scope, credentialKey), Promise.resolve({ credential, version }));
  return version !== undefined;
}

/** Deletes this version of the credential, which can no longer be used. */
export async function dropStored(scope: CredentialScope, credentialKey: string, version: number): Promise<void> {
  scope.known.stored.delete(nameOf(scope, credentialKey));
  await scope.service.deleteCredential(scope.owner, credentialKey, version);
}

export function isExpired(credential: AuthCredential, now: number): boolean {
  const expiresAt = "oauth2" in credential ? credential.oauth2?.expiresAt : undefined;
  return expiresAt !== undefined && expiresAt * 1000 - EARLY_MS <= now;
}

function nameOf({ owner: { tenantId, appName, userId } }: CredentialScope, credentialKey: string): string {
  return JSON.stringify([tenantId ?? "", appName, userId, credentialKey]);
}
