import { redactedAuthConfig } from "#kit/credentials/redacted-auth-config.ts";
import type { Content, Part } from "#kit/events/content.ts";
import { CREDENTIAL_CALL } from "#kit/events/reserved-calls.ts";
import type { RunRequest } from "./run-record.ts";

/** Whether the message answers a request for a credential. */
export function givesCredential(message: Content | undefined): boolean {
  return message?.parts?.some(isAuthResponse) === true;
}

/**
 * The request as it is stored: answers to requests for credentials keep what is not a secret. The same for a request
 * that has been stored before.
 */
export function withoutAuthResponses(request: RunRequest): RunRequest {
  const { newMessage } = request;
  if (newMessage === undefined || !givesCredential(newMessage)) return request;
  const parts = newMessage.parts?.map((part) => (isAuthResponse(part) ? redacted(part) : part)) ?? [];
  return { ...request, newMessage: { ...newMessage, parts } };
}

function isAuthResponse({ functionResponse }: Part): boolean {
  return functionResponse?.name === CREDENTIAL_CALL;
}

/** Only the members that are known: parts and metadata of an answer may hold secrets too. */
function redacted({ functionResponse }: Part): Part {
  const { id, name = CREDENTIAL_CALL, response } = functionResponse ?? {};
  return {
    functionResponse: {
      id,
      name,
      response: response && redactedAuthConfig(response),
    },
  };
}
