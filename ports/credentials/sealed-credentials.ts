import type { CredentialOwner, CredentialService } from "#kit/credentials/credential-service.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";

/** Where a store keeps a credential, and what seals it. */
export interface SealedCredential {
  readonly owner: Required<CredentialOwner>;
  readonly credentialKey: string;
  /** The name of the key that seals it. */
  readonly keyName: string;
  /** Whether that is the key that seals new credentials. */
  readonly isCurrent: boolean;
}

/** Where to continue, and how many to return. */
export interface SealedPage {
  readonly after?: SealedCredential | undefined;
  readonly limit: number;
}

/** The credentials of all tenants, apps and users that a store keeps sealed: for its operator, without any value. */
export interface SealedCredentials {
  /** In an order of the store's own. */
  listSealed(page: SealedPage): Promise<readonly SealedCredential[]>;
}

/** The result of `resealCredentials`. */
export interface ResealReport {
  /** How many credentials the store keeps. */
  readonly count: number;
  /** How many of them were sealed with another key, and were sealed again with the current one. */
  readonly resealed: number;
  /** Those that are still sealed with another key, and why. */
  readonly left: readonly { readonly credential: SealedCredential; readonly problem: string }[];
}

/** The store's sealed credentials; undefined if it seals none. */
export function sealedCredentialsOf(store: object): SealedCredentials | undefined {
  // A store with this method has it for this purpose.
  return "listSealed" in store ? (store as SealedCredentials) : undefined;
}

const PAGE = 200;

/** Seals each credential with the current key, by loading it. Servers may use the store at the same time. */
export async function resealCredentials(
  store: Pick<CredentialService, "loadCredential">,
  sealed: SealedCredentials,
): Promise<ResealReport> {
  const problems = new Map<string, string>();
  let former = 0;
  for await (const credential of allOf(sealed)) {
    if (credential.isCurrent) continue;
    former += 1;
    try {
      await store.loadCredential(credential.owner, credential.credentialKey);
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      problems.set(nameOf(credential), error.reason);
    }
  }
  let count = 0;
  const left: ResealReport["left"][number][] = [];
  for await (const credential of allOf(sealed)) {
    count += 1;
    if (credential.isCurrent) continue;
    left.push({ credential, problem: problems.get(nameOf(credential)) ?? "STORE_UNAVAILABLE" });
  }
  return { count, resealed: Math.max(0, former - left.length), left };
}

async function* allOf(sealed: SealedCredentials): AsyncGenerator<SealedCredential, void, undefined> {
  for (let after: SealedCredential | undefined; ; ) {
    const page = await sealed.listSealed({ after, limit: PAGE });
    yield* page;
    if (page.length < PAGE) return;
    after = page.at(-1);
  }
}

function nameOf({ owner, credentialKey }: SealedCredential): string {
  return JSON.stringify([owner.tenantId, owner.appName, owner.userId, credentialKey]);
}
