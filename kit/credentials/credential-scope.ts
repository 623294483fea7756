import type { OutboundAccess } from "#kit/outbound-http/outbound-access.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { AuthCredential } from "./auth-credential.ts";
import type { CredentialOwner, CredentialService, StoredCredential } from "./credential-service.ts";

/**
 * The user's answer to a request for a credential, with which a call runs again. It does not contain the credential.
 */
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

/** The credentials that a run has read or obtained, by owner and key, so that each is read from the store once. */
export interface KnownCredentials {
  readonly stored: Map<string, Promise<StoredCredential | undefined>>;
  /** The credentials obtained from answers that were used, by the ids of their questions. */
  readonly answers: Map<string, Promise<AuthCredential | undefined>>;
}

/** The user whose credentials a tool call uses, and the services that load, obtain and store them. */
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
