import { type TSchema, Type } from "typebox";
import { SCOPES } from "#services/gateway/identity/scopes.ts";
import { closed, SECRET_KEY } from "./value-types.ts";

const text = Type.String();
const words = Type.Array(text);
const CLOSED = { additionalProperties: false };
/** The tenant of callers, or the claim that names it and what it may name. */
const TENANTS = { tenant: text, tenantClaim: text, tenants: words };
const scopeMap = Type.Record(Type.String({ minLength: 1 }), Type.Array(Type.Enum([...SCOPES])), CLOSED);
const httpsUrl = Type.String({ pattern: "^(https://[^?#\\s]+)?$" });

/** An entry of OIDC_ISSUERS_FILE, whose client names its secret by a Secret in place of a file. */
const ISSUER = closed(
  {
    issuer: Type.String({ pattern: "^https://[^?#\\s]+$" }),
    audience: Type.Union([Type.String({ minLength: 1 }), Type.Array(Type.String({ minLength: 1 }))]),
    clients: words,
    jwksUri: httpsUrl,
    typ: text,
    userClaim: Type.String({ minLength: 1 }),
    userPrefix: text,
    ...TENANTS,
    scopesClaim: text,
    groupsClaim: Type.String({ minLength: 1 }),
    scopeMap,
    client: closed(
      { id: Type.String({ minLength: 1 }), secret: SECRET_KEY, scopes: words, label: Type.String({ minLength: 1 }) },
      ["id"],
    ),
  },
  ["issuer", "audience"],
);

/** Values of the gateway: who may call it, and what is recorded of callers. */
export const IDENTITY: Readonly<Record<string, TSchema>> = {
  allowUnauthenticated: Type.Boolean(),
  auth: closed({
    kinds: Type.Array(Type.Enum(["api-key", "oidc", "proxy"]), { uniqueItems: true }),
    oidc: closed({
      issuer: httpsUrl,
      audience: words,
      clientId: text,
      clientSecret: SECRET_KEY,
      ...TENANTS,
      scopeMap,
      userClaim: Type.String({ minLength: 1 }),
      groupsClaim: Type.String({ minLength: 1 }),
      issuers: Type.Array(ISSUER),
      caSecret: SECRET_KEY,
    }),
    apiKeys: closed({ store: Type.Enum(["firestore", "postgres", "sqlite", "memory"]) }),
    proxy: closed({
      trustedProxies: words,
      scopeMap,
      tenantHeader: text,
      signOutUrl: Type.String({ pattern: "^(/([^/\\\\\\s]\\S*)?|https://\\S+)?$" }),
    }),
    cookies: closed({ existingSecret: text, key: Type.String({ minLength: 1 }) }),
    appRules: Type.Record(
      Type.String({ minLength: 1 }),
      closed({ users: words, groups: words, tenants: words }),
      CLOSED,
    ),
  }),
  audit: Type.Enum(["", "stdout", "file", "firestore", "postgres"]),
};
