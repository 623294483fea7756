import { readFileSync } from "node:fs";
import { DEFAULT_TENANT, isTenantId } from "#kit/names/tenant.ts";
import { textOfFile } from "#kit/platform/file-errors.ts";
import { fieldPath, issueText } from "#kit/schema/read-json.ts";
import { type Static, Type } from "#kit/schema/shape.ts";
import { readValue } from "#kit/schema/shape-reader.ts";
import { isLoopback } from "#shared/security/bind-guard.ts";
import type { IdentityConfig } from "../identity-settings.ts";
import { ScopeMap } from "../scope-map.ts";
import type { Issuer, IssuerTenant } from "./issuer.ts";

const IssuerEntry = Type.Object(
  {
    issuer: Type.String({ minLength: 1 }),
    audience: Type.Union([Type.String({ minLength: 1 }), Type.Array(Type.String({ minLength: 1 }))]),
    clients: Type.Optional(Type.Array(Type.String())),
    jwksUri: Type.Optional(Type.String()),
    typ: Type.Optional(Type.String()),
    userClaim: Type.Optional(Type.String({ minLength: 1 })),
    userPrefix: Type.Optional(Type.String()),
    tenant: Type.Optional(Type.String()),
    tenantClaim: Type.Optional(Type.String({ minLength: 1 })),
    tenants: Type.Optional(Type.Array(Type.String())),
    scopesClaim: Type.Optional(Type.String()),
    groupsClaim: Type.Optional(Type.String({ minLength: 1 })),
    scopeMap: Type.Optional(Type.Map(Type.Array(Type.String()))),
    client: Type.Optional(
      Type.Object(
        {
          id: Type.String({ minLength: 1 }),
          secretFile: Type.Optional(Type.String()),
          scopes: Type.Optional(Type.Array(Type.String())),
          label: Type.Optional(Type.String({ minLength: 1 })),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
);

const IssuersFile = Type.Object({ issuers: Type.Array(IssuerEntry) }, { additionalProperties: false });

/** The identity providers that the settings name. `problems` gets what is wrong with them. */
export async function readIssuers(config: IdentityConfig, problems: string[]): Promise<readonly Issuer[]> {
  const { OIDC_ISSUER, OIDC_ISSUERS_FILE } = config;
  if (OIDC_ISSUER !== "" && OIDC_ISSUERS_FILE !== "")
    problems.push("OIDC_ISSUER and OIDC_ISSUERS_FILE are both set: keep one.");
  if (OIDC_ISSUER === "" && OIDC_ISSUERS_FILE === "")
    problems.push("OIDC_ISSUER is not set, and AUTH=oidc needs it: the URL of the identity provider.");
  const issuers = OIDC_ISSUERS_FILE === "" ? [ofSettings(config, problems)] : await ofFile(OIDC_ISSUERS_FILE, problems);
  for (const issuer of OIDC_ISSUER === "" && OIDC_ISSUERS_FILE === "" ? [] : issuers) check(issuer, problems);
  const names = issuers.map(({ issuer }) => issuer);
  for (const name of new Set(names.filter((name, index) => names.indexOf(name) < index)))
    problems.push(`OIDC_ISSUERS_FILE: the issuer ${name} is there twice.`);
  return issuers;
}

function ofSettings(config: IdentityConfig, problems: string[]): Issuer {
  const { OIDC_CLIENT_ID: id, OIDC_CLIENT_SECRET_FILE: secretFile, OIDC_CLIENT_SCOPES: scopes } = config;
  return {
    client: id !== "" ? { id, secretFile, scopes, label: labelOf(config.OIDC_ISSUER) } : undefined,
    issuer: config.OIDC_ISSUER,
    audience: config.OIDC_AUDIENCE,
    clients: config.OIDC_CLIENTS,
    jwksUri: config.OIDC_JWKS_URI,
    typ: config.OIDC_TYP,
    userClaim: config.OIDC_USER_CLAIM,
    userPrefix: "",
    tenant: tenantFrom(
      { tenant: config.OIDC_TENANT, tenantClaim: config.OIDC_TENANT_CLAIM, tenants: config.OIDC_TENANTS },
      SETTINGS,
      problems,
    ),
    scopesClaim: config.OIDC_SCOPES_CLAIM,
    groupsClaim: config.OIDC_GROUPS_CLAIM,
    scopeMap: ScopeMap.ofSetting(config.OIDC_SCOPE_MAP, "OIDC_SCOPE_MAP", problems),
  };
}

async function ofFile(path: string, problems: string[]): Promise<readonly Issuer[]> {
  const { parse } = await import("yaml");
  let given: unknown;
  try {
    given = parse(textOfFile(readFileSync(path)));
  } catch (error) {
    const [reason] = String(error instanceof Error ? error.message : error).split("\n");
    problems.push(`OIDC_ISSUERS_FILE cannot be read: ${reason}`);
    return [];
  }
  const read = readValue(IssuersFile, given);
  if (!read.ok) {
    for (const issue of read.issues)
      problems.push(`OIDC_ISSUERS_FILE: ${fieldPath(issue.path) || "the file"} ${issueText(issue)}.`);
    return [];
  }
  if (read.value.issuers.length === 0) problems.push("OIDC_ISSUERS_FILE: issuers is empty: add one.");
  return read.value.issuers.map((entry) => toIssuer(entry, problems));
}

function toIssuer(entry: Static<typeof IssuerEntry>, problems: string[]): Issuer {
  const { issuer, audience, clients = [], jwksUri = "", typ = "", scopeMap = {} } = entry;
  const { userClaim = "sub", userPrefix = "", scopesClaim = "", groupsClaim = "groups", client } = entry;
  const pairs = Object.entries(scopeMap).flatMap(([group, scopes]) =>
    scopes.map((scope): readonly [string, string] => [group, scope]),
  );
  return {
    ...{ issuer, audience: [audience].flat(), clients, jwksUri, typ },
    ...{ userClaim, userPrefix, scopesClaim, groupsClaim },
    tenant: tenantFrom(entry, membersOf(issuer), problems),
    client: client && { secretFile: "", scopes: ["openid", "profile", "email"], label: labelOf(issuer), ...client },
    scopeMap: new ScopeMap(pairs, `OIDC_ISSUERS_FILE: scopeMap of ${issuer}`, problems),
  };
}

interface GivenTenant {
  readonly tenant?: string;
  readonly tenantClaim?: string;
  readonly tenants?: readonly string[];
}

/** The names of the three settings, for problems. */
type TenantNames = Readonly<Record<keyof GivenTenant, string>>;

const SETTINGS: TenantNames = {
  tenant: "OIDC_TENANT",
  tenantClaim: "OIDC_TENANT_CLAIM",
  tenants: "OIDC_TENANTS",
};

function membersOf(issuer: string): TenantNames {
  const of = `of ${issuer}`;
  const file = "OIDC_ISSUERS_FILE:";
  return { tenant: `${file} tenant ${of}`, tenantClaim: `${file} tenantClaim ${of}`, tenants: `${file} tenants ${of}` };
}

function tenantFrom(
  { tenant = "", tenantClaim = "", tenants = [] }: GivenTenant,
  names: TenantNames,
  problems: string[],
): IssuerTenant {
  const tenantNames = tenant === "" ? tenants : [tenant];
  const invalid = tenantNames.find((name) => !isTenantId(name));
  if (invalid !== undefined)
    problems.push(
      `${tenant === "" ? names.tenants : names.tenant}: "${invalid}" is not a valid tenant id: use lower-case letters, digits and hyphens.`,
    );
  if (tenant !== "" && tenantClaim !== "")
    problems.push(`${names.tenant} and ${names.tenantClaim} are both set: keep one.`);
  if (tenants.length > 0 && tenantClaim === "") problems.push(`${names.tenants} needs ${names.tenantClaim}.`);
  if (tenantClaim !== "") return { kind: "claim", claim: tenantClaim, allowed: tenants };
  return { kind: "fixed", tenantId: tenant === "" ? DEFAULT_TENANT : tenant };
}

/** The provider's host. */
function labelOf(issuer: string): string {
  return URL.parse(issuer)?.host ?? issuer;
}

function check({ issuer, audience, jwksUri }: Issuer, problems: string[]): void {
  if (!isSafeUrl(issuer)) problems.push(`The OIDC issuer ${issuer} must be an https URL without query.`);
  if (jwksUri !== "" && !isSafeUrl(jwksUri)) problems.push(`The address of keys ${jwksUri} must be an https URL.`);
  if (audience.length === 0)
    problems.push(
      `OIDC_AUDIENCE is not set, and the issuer ${issuer} needs it: tokens for other servers would be accepted.`,
    );
}

/** Whether the answer of the URL cannot be replaced on the network: it is https, or on loopback. */
export function isSafeUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.search !== "" || url.hash !== "" || url.username !== "") return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
}
