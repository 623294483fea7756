import { tenantOf } from "#kit/names/tenant.ts";
import { type Clock, systemClock } from "#kit/platform/clock.ts";
import { assertDataOwner, isOwned } from "#kit/tenants/data-owner.ts";
import type { DeletableData, DeleteDataRequest, DeleteDataResponse } from "#kit/tenants/tenant-data.ts";
import type { AuthCredential } from "./auth-credential.ts";
import type { CredentialDirectory, CredentialSummary, CredentialUser } from "./credential-directory.ts";
import {
  assertCredentialName,
  assertCredentialUser,
  assertRoomForCredential,
  credentialText,
  inListedOrder,
} from "./credential-rules.ts";
import type { CredentialOwner, CredentialService, StoredCredential } from "./credential-service.ts";

interface Kept extends StoredCredential {
  readonly owner: CredentialOwner;
  readonly credentialKey: string;
  readonly createdTime: number;
  readonly updatedTime: number;
}

interface InMemoryCredentialServiceOptions {
  readonly clock?: Clock;
  /** The most credentials of one user; 1,000 if absent. */
  readonly maxPerUser?: number;
}

/** Credentials in the memory of this process; they are lost when it ends. */
export class InMemoryCredentialService implements CredentialService, CredentialDirectory, DeletableData {
  readonly #clock: Clock;
  readonly #maxPerUser: number | undefined;
  readonly #stored = new Map<string, Kept>();
  // Counts over all credentials: one that was deleted and saved again has no earlier version.
  #version = 0;

  constructor({ clock = systemClock, maxPerUser }: InMemoryCredentialServiceOptions = {}) {
    this.#clock = clock;
    this.#maxPerUser = maxPerUser;
  }

  async loadCredential(owner: CredentialOwner, credentialKey: string): Promise<StoredCredential | undefined> {
    assertCredentialName(owner, credentialKey);
    const kept = this.#stored.get(nameOf(owner, credentialKey));
    return kept && { credential: structuredClone(kept.credential), version: kept.version };
  }

  async saveCredential(
    owner: CredentialOwner,
    credentialKey: string,
    credential: AuthCredential,
    ifVersion?: number,
  ): Promise<number | undefined> {
    assertCredentialName(owner, credentialKey);
    // The copy passes through the JSON that other stores write, so that all stores return the same. The JSON is that of
    // a credential.
    const copy = JSON.parse(credentialText(credential)) as AuthCredential;
    const name = nameOf(owner, credentialKey);
    const earlier = this.#stored.get(name);
    if (ifVersion !== undefined && ifVersion !== (earlier?.version ?? 0)) return undefined;
    if (earlier === undefined)
      assertRoomForCredential(
        credentialKey,
        this.#keptOf({ tenantId: tenantOf(owner), userId: owner.userId }),
        this.#maxPerUser,
      );
    this.#version += 1;
    const updatedTime = this.#clock.now();
    const createdTime = earlier?.createdTime ?? updatedTime;
    const names = { owner: { ...owner }, credentialKey };
    this.#stored.set(name, { ...names, credential: copy, version: this.#version, createdTime, updatedTime });
    return this.#version;
  }

  async deleteCredential(owner: CredentialOwner, credentialKey: string, ifVersion?: number): Promise<void> {
    assertCredentialName(owner, credentialKey);
    const name = nameOf(owner, credentialKey);
    if (ifVersion === undefined || ifVersion === this.#stored.get(name)?.version) this.#stored.delete(name);
  }

  async listCredentials(user: CredentialUser): Promise<readonly CredentialSummary[]> {
    assertCredentialUser(user);
    return inListedOrder(this.#keptOf(user).map(toSummary));
  }

  #keptOf(user: CredentialUser): readonly Kept[] {
    return this.#stored
      .values()
      .filter(({ owner }) => isOf(owner, user))
      .toArray();
  }

  async deleteData(request: DeleteDataRequest): Promise<DeleteDataResponse> {
    assertDataOwner(request);
    const isOwn = ({ owner }: Kept) => isOwned(request, { tenantId: tenantOf(owner), userId: owner.userId });
    const own = [...this.#stored].filter(([, kept]) => isOwn(kept));
    const some = own.slice(0, request.limit);
    for (const [name] of some) this.#stored.delete(name);
    return { deleted: some.length, isDone: some.length === own.length };
  }
}

function isOf(owner: CredentialOwner, user: CredentialUser): boolean {
  if (user.appName !== undefined && user.appName !== owner.appName) return false;
  return tenantOf(owner) === tenantOf(user) && owner.userId === user.userId;
}

function toSummary({ owner, credentialKey, credential, createdTime, updatedTime }: Kept): CredentialSummary {
  return { appName: owner.appName, credentialKey, authType: credential.authType, createdTime, updatedTime };
}

/** One text for each owner and key, whatever characters they have. */
function nameOf(owner: CredentialOwner, credentialKey: string): string {
  return JSON.stringify([tenantOf(owner), owner.appName, owner.userId, credentialKey]);
}
