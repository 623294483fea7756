import type { AuthCredential } from "#kit/credentials/auth-credential.ts";
import type { CredentialOwner } from "#kit/credentials/credential-service.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { assertAppScope } from "#kit/names/app-scope.ts";
import { assertIdentifier } from "#kit/names/identifiers.ts";
import { assertTenant } from "#kit/names/tenant.ts";
import type { CredentialSummary, CredentialUser } from "./credential-directory.ts";

/** The most bytes of JSON that a credential may have. */
const MAX_CREDENTIAL_BYTES = 64 * 1024;

/** The most credentials that are kept for one user, in all apps of a tenant. Their list shows them all. */
export const MAX_USER_CREDENTIALS = 1_000;

/**
 * Internal entries that are allowed for each credential: a claim to refresh it, and an answer that no call has used
 * yet.
 */
const KIT_ENTRIES_EACH = 2;

/**
 * Names of the kit's internal entries: answers that no call has used yet, claims to refresh a credential, handles of live
 * sessions, and the secret of sign-ins.
 */
const OF_THE_KIT = /^adk_(?:answer_|refresh_|live_|consent$)/;

/** The prefix of an internal name, which may be followed by a complete name of a credential. */
const OWN_PREFIX = /^adk_(?:answer|refresh)_/;

/** Throws `INVALID_IDENTIFIER`. */
export function assertCredentialName(owner: CredentialOwner, credentialKey: string): void {
  assertAppScope(owner);
  assertIdentifier("userId", owner.userId);
  assertIdentifier("credentialKey", credentialKey.replace(OWN_PREFIX, ""));
}

/** Throws `INVALID_IDENTIFIER`. */
export function assertCredentialUser(user: CredentialUser): void {
  assertTenant(user);
  assertIdentifier("userId", user.userId);
  if (user.appName !== undefined) assertIdentifier("appName", user.appName);
}

/** The credential as a store writes it. Throws `INVALID_FIELD`, whose text contains no secret. */
export function credentialText(credential: AuthCredential): string {
  const text = JSON.stringify(credential);
  if (Buffer.byteLength(text) <= MAX_CREDENTIAL_BYTES) return text;
  throw new PlatformError("INVALID_FIELD", `credential has over ${MAX_CREDENTIAL_BYTES} bytes of JSON.`, {
    details: { field: "credential" },
  });
}

/** Whether the credential is the user's: it is listed, and counts towards the limit. */
export function isOfUser({ credentialKey }: Pick<CredentialSummary, "credentialKey">): boolean {
  return !OF_THE_KIT.test(credentialKey);
}

/**
 * The most entries that a user may have of the kind that the name has. Internal entries have a limit of their own, so
 * that a user at the limit of credentials can still refresh them.
 */
export function mostEntries(credentialKey: string, limit = MAX_USER_CREDENTIALS): number {
  return isOfUser({ credentialKey }) ? limit : limit * KIT_ENTRIES_EACH;
}

/** Throws `TOO_MANY_CREDENTIALS` if a user with `count` entries of this kind may not get another one with this name. */
export function assertRoomForCredential(credentialKey: string, count: number, limit?: number): void {
  const most = mostEntries(credentialKey, limit);
  if (count < most) return;
  const isOwn = isOfUser({ credentialKey });
  const reason = isOwn
    ? `The user has ${count} credentials for tools, and the limit is ${most}. Nothing was stored. Delete some: DELETE /v1/credentials/{appName}/{credentialKey}.`
    : `For the user, ${count} answers to requests for credentials and refreshes wait for calls that have not run, and the limit is ${most}. Nothing was stored. Let these runs end or cancel them; an answer that is not needed is deleted by DELETE /v1/credentials/{appName}/adk_answer_{id of the request}.`;
  throw new PlatformError("TOO_MANY_CREDENTIALS", reason, { details: { limit: String(most) } });
}

/** The summaries of users' credentials in the order of the port. */
export function inListedOrder(summaries: readonly CredentialSummary[]): readonly CredentialSummary[] {
  return summaries.toSorted(byAppAndKey);
}

function byAppAndKey(one: CredentialSummary, other: CredentialSummary): number {
  return compare(one.appName, other.appName) || compare(one.credentialKey, other.credentialKey);
}

/** By bytes, as stores sort. */
function compare(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
