import { DEFAULT_TENANT } from "#kit/names/tenant.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { type Static, Type } from "#kit/schema/shape.ts";
import { readValue } from "#kit/schema/shape-reader.ts";
import type { Caller } from "../identity/caller.ts";
import { isScope } from "../identity/scopes.ts";
import type { CookieSeal } from "./cookie-seal.ts";

const SessionShape = Type.Object({
  /** Unique, so that a session that was ended can be recognised. */
  id: Type.String(),
  expiresAtMs: Type.Integer(),
  subject: Type.String(),
  /** The key by which the user has signed in, which decides what the session may do. */
  keyId: Type.Optional(Type.String()),
  /** The identity provider that has signed the user in, and what the session may do then. */
  issuer: Type.Optional(Type.String()),
  /** The provider's `rules` when it signed the user in. */
  rules: Type.Optional(Type.String()),
  /** The tenant default if absent. */
  tenantId: Type.Optional(Type.String()),
  userId: Type.Optional(Type.String()),
  groups: Type.Array(Type.String()),
  scopes: Type.Array(Type.String()),
});

/** What the cookie of a page contains. */
export type PageSession = Static<typeof SessionShape>;

/** Browsers refuse cookies of more than 4096 bytes with their name and attributes. */
export const MAX_SEALED_LENGTH = 3800;

/** Undefined if the session has too many groups for a cookie. */
export function sealSession(seal: CookieSeal, session: PageSession): string | undefined {
  // Absent members are left out by the text.
  const text = seal.seal("session", session as JsonObject);
  return text.length > MAX_SEALED_LENGTH ? undefined : text;
}

/** Undefined for a text that this server has not sealed, and for a session of a form that it does not read. */
export function openSession(seal: CookieSeal, text: string): PageSession | undefined {
  const read = readValue(SessionShape, seal.open("session", text));
  return read.ok ? read.value : undefined;
}

/** The caller of a session that an identity provider has signed in. */
export function callerOfSession({ tenantId, subject, userId, groups, scopes, expiresAtMs }: PageSession): Caller {
  return {
    tenantId: tenantId ?? DEFAULT_TENANT,
    source: "session",
    subject,
    userId,
    apps: undefined,
    groups,
    scopes: new Set(scopes.filter(isScope)),
    expiresAtMs,
  };
}
