import { PlatformError } from "#kit/errors/platform-error.ts";
import { CREDENTIAL_CALL } from "#kit/events/reserved-calls.ts";

/** The error for an answer to a request for a credential on a live connection. */
export function credentialAnswerRefused(): PlatformError {
  return new PlatformError(
    "INVALID_MESSAGE",
    `A live run takes no answer to ${CREDENTIAL_CALL}: send it as the message of a run, with runAsync or POST /run.`,
    { details: { field: "content" } },
  );
}
