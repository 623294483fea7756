import type { ReasonEntry } from "./reason-entry.ts";

/** Why a request to an address that a model, a user or another server named was not made, or has no answer. */
export const OUTBOUND_REASONS = {
  OUTBOUND_ADDRESS_REFUSED: {
    code: "PERMISSION_DENIED",
    meaning:
      "The address may not be called: it is not an http or https URL, has a user name, a port other than 80 and 443, or leads into the network of the server. The operator can allow a host (OUTBOUND_ALLOWED_HOSTS).",
  },
  OUTBOUND_REDIRECT_REFUSED: {
    code: "PERMISSION_DENIED",
    meaning:
      "The server redirects too often, from https to http, or to another origin that would get the body of the request. Use the address that it redirects to.",
  },
  OUTBOUND_RESPONSE_TOO_LARGE: {
    code: "FAILED_PRECONDITION",
    meaning: "The answer has more bytes than OUTBOUND_MAX_BYTES allows. The rest of it was not read.",
  },
  OUTBOUND_TIMED_OUT: {
    code: "ABORTED",
    http: 504,
    meaning:
      "The address did not answer within OUTBOUND_TIMEOUT_MS, or within the time that its tool allows. Whether the request had an effect is unknown.",
  },
  OUTBOUND_FAILED: {
    code: "ABORTED",
    http: 502,
    meaning: "The address cannot be reached: its name is unknown, or the connection failed. Check the address.",
  },
  CREDENTIAL_UNUSABLE: {
    code: "FAILED_PRECONDITION",
    meaning:
      "A credential of a tool does not fit its scheme: it lacks a token, key or password, or has one that a header or cookie cannot hold. The message names the member, never its value.",
  },
} as const satisfies Record<string, ReasonEntry>;
