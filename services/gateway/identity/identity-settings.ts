import { Type } from "#kit/schema/shape.ts";
import type { ConfigOf } from "#shared/config/config-schema.ts";

/** Settings of who may call the gateway. */
export const identityConfigSchema = Type.Object({
  AUTH: Type.Array(Type.Enum(["none", "api-key", "oidc", "proxy"]), {
    default: ["none"],
    description:
      "How callers identify themselves, comma separated: `api-key`, `oidc` (tokens of an identity provider), `proxy` (a header of a trusted proxy). The first kind of which a request has credentials counts. `none` accepts everybody, and only where HOST is loopback.",
  }),
  ALLOW_UNAUTHENTICATED: Type.Boolean({
    default: false,
    description:
      "Start with AUTH=none where HOST is not a loopback address: something in front of the server authenticates callers.",
  }),
  OIDC_ISSUER: Type.String({
    default: "",
    description: "URL of the identity provider, as its tokens name it in `iss`; its keys are found by discovery.",
  }),
  OIDC_AUDIENCE: Type.Array(Type.String(), {
    default: [],
    description: "Names of this server in `aud` of tokens, comma separated; a token needs one of them.",
  }),
  OIDC_CLIENTS: Type.Array(Type.String(), {
    default: [],
    description: "Clients (`azp` or `client_id`) whose tokens are accepted, comma separated; empty for all.",
  }),
  OIDC_JWKS_URI: Type.String({ default: "", description: "URL of the provider's keys; empty for discovery." }),
  OIDC_TYP: Type.String({
    default: "",
    description:
      "The `typ` that a token's header must have, such as `at+jwt`; empty for any, except that id tokens are refused.",
  }),
  OIDC_USER_CLAIM: Type.String({
    default: "sub",
    description: "The claim with the user's id; `email` also needs `email_verified`.",
  }),
  OIDC_TENANT: Type.String({
    default: "",
    description: "The tenant of all callers of OIDC_ISSUER; empty for `default`, or for OIDC_TENANT_CLAIM.",
  }),
  OIDC_TENANT_CLAIM: Type.String({
    default: "",
    description: "The claim with the caller's tenant, which every token then needs; empty if there is one tenant.",
  }),
  OIDC_TENANTS: Type.Array(Type.String(), {
    default: [],
    description: "The tenants that OIDC_TENANT_CLAIM may name, comma separated; empty for any.",
  }),
  OIDC_SCOPES_CLAIM: Type.String({
    default: "",
    description: "The claim with the scopes; empty for the first of `scope`, `scp` and `permissions`.",
  }),
  OIDC_GROUPS_CLAIM: Type.String({ default: "groups", description: "The claim with the user's groups." }),
  OIDC_SCOPE_MAP: Type.Array(Type.String(), {
    default: [],
    description:
      "Scopes by group besides those of the token, comma separated: `staff=runs:write,staff=sessions:read`; the group `*` is everybody.",
  }),
  OIDC_CLIENT_ID: Type.String({
    default: "",
    description:
      "The id of this server as a client of OIDC_ISSUER, with which pages sign in; empty if they sign in by API keys only.",
  }),
  OIDC_CLIENT_SECRET_FILE: Type.String({
    default: "",
    description: "File with the client's secret; empty for a public client.",
  }),
  OIDC_CLIENT_SCOPES: Type.Array(Type.String(), {
    default: ["openid", "profile", "email"],
    description: "Scopes that a sign-in requests from the identity provider, comma separated.",
  }),
  OIDC_ISSUERS_FILE: Type.String({
    default: "",
    description: "YAML file with several identity providers, in place of the other OIDC settings.",
  }),
  TRUSTED_PROXIES: Type.Array(Type.String(), {
    default: [],
    description:
      "Addresses and networks (10.0.0.0/8) of the proxies whose headers name the user, comma separated. Needed by AUTH=proxy.",
  }),
  PROXY_USER_HEADER: Type.String({
    default: "X-Forwarded-User",
    description: "Header in which a trusted proxy names the user. The proxy must remove it from what clients send.",
  }),
  PROXY_GROUPS_HEADER: Type.String({
    default: "X-Forwarded-Groups",
    description: "Header in which a trusted proxy names the user's groups, comma separated.",
  }),
  PROXY_TENANT_HEADER: Type.String({
    default: "",
    description:
      "Header in which a trusted proxy names the user's tenant, which every request then needs; empty if there is one tenant. The proxy must remove it from what clients send.",
  }),
  PROXY_SCOPE_MAP: Type.Array(Type.String(), {
    default: [],
    description: "Scopes by group, as in OIDC_SCOPE_MAP.",
  }),
  PROXY_SIGN_OUT_URL: Type.String({
    default: "",
    description:
      "Where pages sign out a user whom a trusted proxy names: a path of the proxy such as `/oauth2/sign_out`, or an https URL; empty for no link.",
  }),
});

export type IdentityConfig = ConfigOf<typeof identityConfigSchema>;
