import type { AuthCredential } from "#kit/credentials/auth-credential.ts";
import type { CredentialOwner } from "#kit/credentials/credential-service.ts";
import type { CredentialSummary } from "#ports/credentials/credential-directory.ts";
import { assertCredentialName } from "#ports/credentials/credential-rules.ts";
import type { CredentialOwner__Output } from "#proto/fairlead/credential/v1/CredentialOwner.ts";
import type {
  CredentialSummary__Output,
  CredentialSummary as SummaryMessage,
} from "#proto/fairlead/credential/v1/CredentialSummary.ts";
import { fromJsonBytes, fromTimestamp, toTimestamp } from "./messages.ts";
import { fromTenantMember, toTenantMember } from "./tenant-messages.ts";

/** The members by which a message names a credential. Throws `INVALID_IDENTIFIER`. */
export function toCredentialName(owner: CredentialOwner, credentialKey: string) {
  assertCredentialName(owner, credentialKey);
  return { owner: { ...toTenantMember(owner), appName: owner.appName, userId: owner.userId }, credentialKey };
}

/** Returns empty names for an absent owner; every port refuses them. Throws `INVALID_FIELD` if it names no tenant. */
export function fromCredentialOwner(owner: CredentialOwner__Output | null): CredentialOwner {
  if (owner === null) return { appName: "", userId: "" };
  return { ...fromTenantMember(owner), appName: owner.appName, userId: owner.userId };
}

/** Throws `MALFORMED_JSON`. */
export function fromCredentialJson(bytes: Uint8Array): AuthCredential {
  return fromJsonBytes<AuthCredential>(bytes, "The credential");
}

export function toSummaryMessage({ createdTime, updatedTime, ...names }: CredentialSummary): SummaryMessage {
  return { ...names, createdTime: toTimestamp(createdTime), updatedTime: toTimestamp(updatedTime) };
}

export function fromSummaryMessage(message: CredentialSummary__Output): CredentialSummary {
  return {
    appName: message.appName,
    credentialKey: message.credentialKey,
    // Services trust each other's messages.
    authType: message.authType as CredentialSummary["authType"],
    createdTime: fromTimestamp(message.createdTime),
    updatedTime: fromTimestamp(message.updatedTime),
  };
}
