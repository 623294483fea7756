import { describe, expect, it } from "vitest";
import { loadConfig } from "#shared/config/load-config.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { identityConfigSchema } from "../identity-settings.ts";
import type { IssuerTenant } from "./issuer.ts";
import { readIssuers } from "./read-issuers.ts";
import { callerOfToken } from "./token-caller.ts";

const SETTINGS = { AUTH: "oidc", OIDC_ISSUER: "https://issuer.example.com", OIDC_AUDIENCE: "agents" };

async function open(settings: Readonly<Record<string, string>> = {}) {
  const problems: string[] = [];
  const [issuer] = await readIssuers(loadConfig(identityConfigSchema, { ...SETTINGS, ...settings }), problems);
  if (issuer === undefined) throw new Error("no issuer");
  const tenantOf = (claims: Readonly<Record<string, string | number | null | readonly string[]>>) =>
    callerOfToken({ sub: "ada", ...claims }, issuer, 0).tenantId;
  return { problems, tenant: issuer.tenant, tenantOf };
}

describe("the tenant of a token's caller", () => {
  it("is default where none is configured, whatever claims the token has", async () => {
    const { tenantOf } = await open();
    expect([tenantOf({}), tenantOf({ tenantId: "acme", tenant: "acme" })]).toEqual(["default", "default"]);
  });

  it("is the issuer's own, whatever claims the token has", async () => {
    verifies("authentication:tenants");
    const { tenantOf } = await open({ OIDC_TENANT: "globex" });
    expect([tenantOf({}), tenantOf({ tenant: "acme" })]).toEqual(["globex", "globex"]);
  });

  it("is the one of the claim, without which the token is refused", async () => {
    verifies("authentication:tenants");
    const { tenantOf } = await open({ OIDC_TENANT_CLAIM: "org" });
    expect(tenantOf({ org: "acme" })).toBe("acme");
    const wrong: Parameters<typeof tenantOf>[0][] = [
      {},
      { org: "" },
      { org: "../x" },
      { org: "Acme" },
      { org: 7 },
      { org: null },
      { org: ["a"] },
    ];
    for (const claims of wrong)
      expect(() => tenantOf(claims)).toThrow(expect.objectContaining({ reason: "UNAUTHENTICATED" }));
    expect(() => tenantOf({ tenant: "acme" })).toThrow("org is missing or no valid tenant");
  });

  it("is one of the list, if there is one", async () => {
    const { tenantOf } = await open({ OIDC_TENANT_CLAIM: "org", OIDC_TENANTS: "acme,globex" });
    expect(tenantOf({ org: "globex" })).toBe("globex");
    for (const org of ["default", "initech"])
      expect(() => tenantOf({ org })).toThrow("The token's org is not a tenant of this server.");
  });

  it("is not a member that all objects have", async () => {
    const { tenantOf } = await open({ OIDC_TENANT_CLAIM: "constructor" });
    expect(() => tenantOf({})).toThrow("constructor is missing");
  });

  it.each<[Readonly<Record<string, string>>, string, IssuerTenant]>([
    [{ OIDC_TENANT: "../x" }, 'OIDC_TENANT: "../x" is not a valid tenant id', { kind: "fixed", tenantId: "../x" }],
    [
      { OIDC_TENANT_CLAIM: "org", OIDC_TENANTS: "acme,A" },
      'OIDC_TENANTS: "A" is not a valid tenant id',
      { kind: "claim", claim: "org", allowed: ["acme", "A"] },
    ],
    [
      { OIDC_TENANT: "acme", OIDC_TENANT_CLAIM: "org" },
      "OIDC_TENANT and OIDC_TENANT_CLAIM are both set: keep one.",
      { kind: "claim", claim: "org", allowed: [] },
    ],
    [{ OIDC_TENANTS: "acme" }, "OIDC_TENANTS needs OIDC_TENANT_CLAIM.", { kind: "fixed", tenantId: "default" }],
  ])("is not a setting like %j", async (settings, problem, tenant) => {
    const opened = await open(settings);
    expect([opened.problems, opened.tenant]).toEqual([[expect.stringContaining(problem)], tenant]);
  });
});
