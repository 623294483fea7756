import { readAuthResponse } from "#kit/credentials/auth-response.ts";
import { answerKeyOf } from "#kit/credentials/credential-key.ts";
import type { CredentialService } from "#kit/credentials/credential-service.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Content, FunctionCall } from "#kit/events/content.ts";
import { CREDENTIAL_CALL } from "#kit/events/reserved-calls.ts";
import { inTenant } from "#kit/names/tenant.ts";
import { isJsonObject } from "#kit/platform/json.ts";
import type { SessionKey } from "#kit/sessions/session.ts";

interface Place {
  /** The calls of the session that the message answers. */
  readonly calls: ReadonlyMap<string, FunctionCall>;
  readonly session: SessionKey;
  readonly credentialService: CredentialService;
}

/**
 * Moves the credentials in answers to credential requests from the message to the credential store, where the call that
 * asked finds them. Answers to requests that the session has not made are ignored here, because the run refuses them.
 * Throws `INVALID_MESSAGE`, `CREDENTIAL_MALFORMED` and `CREDENTIAL_STATE_MISMATCH`, and stores nothing then: the
 * request can be answered again.
 */
export async function keepAuthResponses(
  message: Content,
  { calls, session: { tenantId, appName, userId }, credentialService }: Place,
): Promise<void> {
  const given = (message.parts ?? []).flatMap(({ functionResponse }, index) => {
    const { id = "", name, response = {} } = functionResponse ?? {};
    const asked = calls.get(id);
    if (asked?.name !== CREDENTIAL_CALL) return [];
    // Under another name the answer would be stored with its credential.
    if (name !== CREDENTIAL_CALL) throw misnamed(index);
    const request = asked.args?.["authConfig"];
    return isJsonObject(request) ? [{ key: answerKeyOf(id), credential: readAuthResponse(response, request) }] : [];
  });
  const owner = { ...inTenant(tenantId), appName, userId };
  for (const { key, credential } of given) await credentialService.saveCredential(owner, key, credential);
}

function misnamed(index: number): PlatformError {
  return new PlatformError(
    "INVALID_MESSAGE",
    `newMessage.parts.${index}.functionResponse.name must be "${CREDENTIAL_CALL}", the name of the call that it answers.`,
    { details: { field: "newMessage" } },
  );
}
