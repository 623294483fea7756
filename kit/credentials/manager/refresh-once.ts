import { PlatformError } from "#kit/errors/platform-error.ts";
import { sleep } from "#kit/platform/sleep.ts";
import type { AuthConfig } from "../auth-config.ts";
import type { AuthCredential } from "../auth-credential.ts";
import type { CredentialScope } from "../credential-scope.ts";
import type { StoredCredential } from "../credential-service.ts";
import { isInvalidGrant } from "../oauth/oauth-failure.ts";
import { refreshTokens } from "../oauth/tokens.ts";
import { dropStored, keepStored, reloadStored } from "./stored-credential.ts";

/** The longest time in which one run may refresh a token while other runs wait. */
const CLAIM_SECONDS = 60;
const POLL_MS = 200;
const MAX_WAIT_MS = 90_000;

/**
 * Refreshes an expired credential. If several runs need it at the same time, on any runner, one of them refreshes it
 * and the others wait for its result: many servers revoke a sign-in whose refresh token is used twice. Undefined if the
 * user has to sign in again. Throws `CREDENTIAL_EXCHANGE_FAILED`, and what the request throws.
 */
export async function refreshOnce(
  config: AuthConfig,
  credentialKey: string,
  expired: StoredCredential,
  scope: CredentialScope,
): Promise<AuthCredential | undefined> {
  const refreshToken = refreshTokenOf(expired.credential);
  if (refreshToken === undefined) {
    await dropStored(scope, credentialKey, expired.version);
    return undefined;
  }
  for (let polls = 0; ; polls += 1) {
    const claim = await claimRefresh(scope, credentialKey);
    // Another run may have refreshed the credential after it was read and before this claim.
    const current = await reloadStored(scope, credentialKey);
    if (current?.version !== expired.version) {
      if (claim !== undefined) await release(scope, credentialKey, claim);
      return current?.credential;
    }
    if (claim === undefined) {
      if (polls * POLL_MS > MAX_WAIT_MS)
        throw new PlatformError(
          "CREDENTIAL_EXCHANGE_FAILED",
          "No token was obtained: another run is still refreshing it after the longest wait. Run the call again.",
        );
      await sleep(POLL_MS, scope.signal);
      continue;
    }
    try {
      const credential = await refreshTokens(config, refreshToken, scope);
      const isKept = await keepStored(scope, credentialKey, credential, expired.version);
      // If another version is stored, the user has signed in again meanwhile: that credential is used.
      return isKept ? credential : (await reloadStored(scope, credentialKey))?.credential;
    } catch (error) {
      if (!isInvalidGrant(error)) throw error;
      scope.logger.warn({ credentialKey }, "the refresh token is not valid any more: the user has to sign in again");
      await dropStored(scope, credentialKey, expired.version);
      return undefined;
    } finally {
      await release(scope, credentialKey, claim);
    }
  }
}

function refreshTokenOf(credential: AuthCredential): string | undefined {
  return "oauth2" in credential ? credential.oauth2?.refreshToken : undefined;
}

/** Claims the right to refresh. Returns the version of the claim, or undefined if another run has a claim. */
async function claimRefresh(
  { owner, service, clock }: CredentialScope,
  credentialKey: string,
): Promise<number | undefined> {
  const now = Math.floor(clock.now() / 1000);
  const other = await service.loadCredential(owner, claimKeyOf(credentialKey));
  if (other !== undefined && untilOf(other.credential) > now) return undefined;
  const claim: AuthCredential = { authType: "oauth2", oauth2: { expiresAt: now + CLAIM_SECONDS } };
  return service.saveCredential(owner, claimKeyOf(credentialKey), claim, other?.version ?? 0);
}

async function release({ owner, service, logger }: CredentialScope, key: string, claim: number): Promise<void> {
  try {
    await service.deleteCredential(owner, claimKeyOf(key), claim);
  } catch (error) {
    // The claim expires by itself. A failure to delete it must not discard the new tokens.
    logger.warn({ error: error instanceof PlatformError ? error.reason : "unknown" }, "refresh claim not released");
  }
}

function claimKeyOf(credentialKey: string): string {
  return `adk_refresh_${credentialKey}`;
}

function untilOf(credential: AuthCredential): number {
  return "oauth2" in credential ? (credential.oauth2?.expiresAt ?? 0) : 0;
}
