import type { JsonObject } from "#kit/platform/json.ts";
import { type Static, Type } from "#kit/schema/shape.ts";
import { readValue } from "#kit/schema/shape-reader.ts";
import type { CookieSeal } from "./cookie-seal.ts";
import { MAX_SEALED_LENGTH } from "./page-session.ts";

const RefreshShape = Type.Object({
  /** The session that it renews. */
  sessionId: Type.String(),
  issuer: Type.String(),
  /** The provider's refresh token. */
  token: Type.String(),
  /** Who has signed in: a renewal never changes the user and the tenant. */
  subject: Type.String(),
  /** The tenant default if absent. */
  tenantId: Type.Optional(Type.String()),
  /** When the session ends even if it is renewed, as a Unix time in ms. */
  endsAtMs: Type.Integer(),
});

/** What the browser keeps, for requests below `/auth` alone, of a session that its identity provider can renew. */
export type PageRefresh = Static<typeof RefreshShape>;

/** Undefined if the token is too long for a cookie: then the session cannot be renewed. */
export function sealRefresh(seal: CookieSeal, refresh: PageRefresh): string | undefined {
  // Absent members are left out by the text.
  const text = seal.seal("refresh", refresh as JsonObject);
  return text.length > MAX_SEALED_LENGTH ? undefined : text;
}

/** Undefined for a text that this server has not sealed. */
export function openRefresh(seal: CookieSeal, text: string): PageRefresh | undefined {
  const read = readValue(RefreshShape, seal.open("refresh", text));
  return read.ok ? read.value : undefined;
}
