import type { ReasonEntry } from "./reason-entry.ts";

/** Why a caller is not admitted, or an action not carried out for it. */
export const ACCESS_REASONS = {
  UNAUTHENTICATED: {
    code: "UNAUTHENTICATED",
    meaning:
      "The request has no credentials, or ones that are wrong, expired or revoked. Send valid ones: `WWW-Authenticate` has their form.",
  },
  IDENTITY_UNAVAILABLE: {
    code: "UNAVAILABLE",
    meaning:
      "The credentials cannot be checked now: the identity provider, or the store of API keys, does not answer. Try again after `details.retryAfterSeconds`.",
  },
  API_KEYS_OFF: {
    code: "PERMISSION_DENIED",
    meaning: "This server accepts no API keys. Add `api-key` to AUTH.",
  },
  API_KEY_NOT_FOUND: { code: "NOT_FOUND", meaning: "There is no API key of that id." },
  SERVER_WIDE: {
    code: "PERMISSION_DENIED",
    meaning: "The operation concerns all tenants of the server. Only callers of the tenant `default` may use it.",
  },
  TENANT_NOT_FOUND: {
    code: "NOT_FOUND",
    meaning: "There is no tenant of that name that the caller reaches.",
  },
  SCOPE_MISSING: {
    code: "PERMISSION_DENIED",
    meaning: "The caller lacks the scope that `details.scope` names. Use credentials that have it.",
  },
  USER_NOT_ALLOWED: {
    code: "PERMISSION_DENIED",
    meaning:
      "The request names a user other than the caller's own, whether that user exists or not. Credentials with the scope `users:all` reach every user.",
  },
  AUDIT_UNAVAILABLE: {
    code: "UNAVAILABLE",
    meaning:
      "The action needs an audit record, which cannot be written now. Nothing was done. Try again; the server's log has the cause.",
  },
  AUDIT_BROKEN: {
    code: "FAILED_PRECONDITION",
    meaning:
      "The audit log cannot be continued: its last line is not a whole record, or its files belong to several chains. The server does not start. `fairlead audit verify` says where.",
  },
} as const satisfies Record<string, ReasonEntry>;
