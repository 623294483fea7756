import { tenantOf } from "#kit/names/tenant.ts";
import type { AuthCredential } from "./auth-credential.ts";
import type { CredentialOwner, CredentialService, StoredCredential } from "./credential-service.ts";

/** The credentials of one process, which end with it. */
export class InMemoryCredentialService implements CredentialService {
  readonly #stored = new Map<string, StoredCredential>();
  // Counts over all credentials: one that was deleted and saved again has no earlier version.
  #version = 0;

  async loadCredential(owner: CredentialOwner, credentialKey: string): Promise<StoredCredential | undefined> {
    return structuredClone(this.#stored.get(nameOf(owner, credentialKey)));
  }

  async saveCredential(
    owner: CredentialOwner,
    credentialKey: string,
    credential: AuthCredential,
    ifVersion?: number,
  ): Promise<number | undefined> {
    const name = nameOf(owner, credentialKey);
    if (ifVersion !== undefined && ifVersion !== (this.#stored.get(name)?.version ?? 0)) return undefined;
    this.#version += 1;
    this.#stored.set(name, { credential: structuredClone(credential), version: this.#version });
    return this.#version;
  }

  async deleteCredential(owner: CredentialOwner, credentialKey: string, ifVersion?: number): Promise<void> {
    const name = nameOf(owner, credentialKey);
    if (ifVersion === undefined || ifVersion === this.#stored.get(name)?.version) this.#stored.delete(name);
  }
}

/** One text for each owner and key, whatever characters they have. */
function nameOf(owner: CredentialOwner, credentialKey: string): string {
  return JSON.stringify([tenantOf(owner), owner.appName, owner.userId, credentialKey]);
}
