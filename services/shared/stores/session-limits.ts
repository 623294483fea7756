import { Type } from "#kit/schema/shape.ts";
import { DEFAULT_SESSION_LIMITS, type SessionLimits } from "#ports/sessions/session-limits.ts";
import type { ConfigOf } from "../config/config-schema.ts";

/** Limits of a session. The gateway refuses requests of clients beyond them, and the store all writes. */
export const sessionLimitsConfigSchema = Type.Object({
  MAX_STATE_BYTES: Type.Integer({
    default: DEFAULT_SESSION_LIMITS.maxStateBytes,
    minimum: 1024,
    description: "Bytes of JSON that each scope of the state may have: of a session, of a user, of an app.",
  }),
  MAX_STATE_KEYS: Type.Integer({
    default: DEFAULT_SESSION_LIMITS.maxStateKeys,
    minimum: 1,
    description: "Keys that each scope of the state may have.",
  }),
  MAX_IMPORTED_EVENTS: Type.Integer({
    default: DEFAULT_SESSION_LIMITS.maxImportedEvents,
    minimum: 0,
    description: "Events that a new session may be given.",
  }),
});

export type SessionLimitsConfig = ConfigOf<typeof sessionLimitsConfigSchema>;

export function sessionLimitsOf(config: SessionLimitsConfig): SessionLimits {
  return {
    maxStateBytes: config.MAX_STATE_BYTES,
    maxStateKeys: config.MAX_STATE_KEYS,
    maxImportedEvents: config.MAX_IMPORTED_EVENTS,
  };
}
