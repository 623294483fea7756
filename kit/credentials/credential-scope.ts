import type { OutboundAccess } from "#kit/addresses/outbound-access.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { AuthCredential } from "./auth-credential.ts";
import type { CredentialOwner, CredentialService, StoredCredential } from "./credential-service.ts";

/** The user's answer to a request for a credential, by which a call runs again. What the user gave is not in it. */
export interface CredentialAnswer {
  /** The id of the framework's call `adk_request_credential`. */
  readonly questionId: string;
  /** The key of the credential that was asked for. */
  readonly credentialKey: string;
  /** The `state` that the request had. */
  readonly state: string | undefined;
  /** The authorization server that the request was for, if it named one. */
  readonly issuer: string | undefined;
}

/** What a run has read and found out of credentials, by owner and key: each is read from the store once. */
export interface KnownCredentials {
  readonly stored: Map<string, Promise<StoredCredential | undefined>>;
  /** What became of the answers that were used, by the ids of their questions. */
  readonly answers: Map<string, Promise<AuthCredential | undefined>>;
}

/** Whose credentials a tool call uses, and by which means. */
export interface CredentialScope {
  readonly owner: CredentialOwner;
  readonly service: CredentialService;
  readonly outbound: Pick<OutboundAccess, "fetch">;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly known: KnownCredentials;
  readonly answer: CredentialAnswer | undefined;
}
