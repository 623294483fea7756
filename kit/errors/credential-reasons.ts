import type { ReasonEntry } from "./reason-entry.ts";

/** Reasons about the credentials that tools ask the user for. */
export const CREDENTIAL_REASONS = {
  CREDENTIAL_UNKNOWN: {
    code: "NOT_FOUND",
    meaning: "The answer names a request for a credential that this session never made. Nothing ran.",
  },
  CREDENTIAL_ALREADY_USED: {
    code: "FAILED_PRECONDITION",
    http: 409,
    meaning: "That request for a credential was answered before: each answer counts once. Nothing ran.",
  },
  CREDENTIAL_MALFORMED: {
    code: "INVALID_ARGUMENT",
    meaning:
      "The answer to a request for a credential lacks what the scheme needs, such as `exchangedAuthCredential.oauth2.authResponseUri`. Nothing was stored; answer again.",
  },
  CREDENTIAL_MISMATCH: {
    code: "FAILED_PRECONDITION",
    http: 409,
    meaning: "The answer, or the request as stored, is about another call than the one that asked. Nothing ran.",
  },
  CREDENTIAL_STATE_MISMATCH: {
    code: "INVALID_ARGUMENT",
    meaning:
      "The `state` of the answer is not that of the request: the answer belongs to another sign-in. Nothing was stored; sign in again.",
  },
  CREDENTIAL_DENIED: {
    code: "PERMISSION_DENIED",
    meaning: "The user, or the authorization server, has not allowed what a tool asked for.",
  },
  CREDENTIAL_EXCHANGE_FAILED: {
    code: "FAILED_PRECONDITION",
    http: 502,
    meaning:
      "The authorization server gave no usable token: it refused the code, the refresh token or the client, or its answer is not valid. The message has the server's error code.",
  },
} as const satisfies Record<string, ReasonEntry>;
