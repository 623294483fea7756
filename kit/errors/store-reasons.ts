import type { ReasonEntry } from "./reason-entry.ts";

/** Why a store cannot keep or return content. */
export const STORE_REASONS = {
  STORAGE_FULL: {
    code: "UNAVAILABLE",
    meaning: "The disk of a store is full; nothing was changed. Writes succeed again when there is space.",
  },
  CONTENT_KEY_UNAVAILABLE: {
    code: "FAILED_PRECONDITION",
    http: 503,
    meaning:
      "Content of the tenant in `details.tenantId` is encrypted, and the tenant's key is missing. Other tenants are not affected. Restore the key, or delete the content.",
  },
  CONTENT_UNREADABLE: {
    code: "DATA_LOSS",
    meaning:
      "Encrypted content was damaged, changed outside of the server, or moved from another place. Restore it from a backup.",
  },
  CREDENTIAL_KEY_UNAVAILABLE: {
    code: "FAILED_PRECONDITION",
    http: 503,
    meaning:
      "A user's credential for a tool is sealed with the key in `details.keyName`, which CREDENTIAL_KEYS_FILE lacks. Restore the key, or delete the credential.",
  },
  CREDENTIAL_UNREADABLE: {
    code: "DATA_LOSS",
    meaning:
      "A user's credential for a tool was damaged, changed outside of the server, or moved from another place. Delete it: the user is asked again.",
  },
  TOO_MANY_CREDENTIALS: {
    code: "FAILED_PRECONDITION",
    meaning:
      "The user has as many credentials for tools as are kept of one user (`details.limit`), or as many answers and refreshes that wait for calls. Nothing was stored. Delete some.",
  },
  TOO_MANY_SCHEDULES: {
    code: "RESOURCE_EXHAUSTED",
    meaning:
      "The user has as many schedules as the server keeps for one (`details.limit`). Nothing was stored. Delete some.",
  },
  SCHEDULE_NOT_FOUND: { code: "NOT_FOUND", meaning: "The caller reaches no schedule of that id." },
  SCHEDULE_OF_APP: {
    code: "FAILED_PRECONDITION",
    meaning: "The app's definition has the schedule: change it there. It can be paused, resumed and triggered.",
  },
  SCHEDULES_OFF: {
    code: "FAILED_PRECONDITION",
    meaning: "This server keeps no schedules. Set SCHEDULES, for example to `sqlite`.",
  },
  TOO_MANY_WEBHOOKS: {
    code: "RESOURCE_EXHAUSTED",
    meaning:
      "The tenant has as many webhooks as the server keeps for one (`details.limit`). Nothing was stored. Delete some.",
  },
  WEBHOOK_NOT_FOUND: { code: "NOT_FOUND", meaning: "The caller reaches no webhook of that id." },
  WEBHOOK_OF_APP: {
    code: "FAILED_PRECONDITION",
    meaning:
      "The app's definition has the webhook, or its secret is in WEBHOOK_SECRETS_FILE: change it there. It can be turned off and on.",
  },
  DELIVERY_NOT_FOUND: {
    code: "NOT_FOUND",
    meaning: "The webhook has no delivery of that id. Deliveries are kept for a week.",
  },
  WEBHOOKS_OFF: {
    code: "FAILED_PRECONDITION",
    meaning: "This server has no webhooks. Set WEBHOOKS, for example to `sqlite`.",
  },
  TOO_MANY_PUSH_TARGETS: {
    code: "RESOURCE_EXHAUSTED",
    meaning:
      "The task, or the user, has as many push notification configurations as are kept (`details.limit`). Nothing was stored. Delete some.",
  },
  STORE_UNAVAILABLE: { code: "UNAVAILABLE", meaning: "A store cannot be reached or failed; nothing was changed." },
} as const satisfies Record<string, ReasonEntry>;
