import { describe, expect, it } from "vitest";
import { incoming } from "#test/helpers/identity/incoming.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { ProxyAuthenticator, type ProxyConfig } from "./proxy-authenticator.ts";

function open(config: Partial<ProxyConfig> = {}) {
  const problems: string[] = [];
  const proxy = new ProxyAuthenticator(
    {
      TRUSTED_PROXIES: ["10.1.0.0/16", "192.0.2.7", "2001:db8::/32"],
      PROXY_USER_HEADER: "X-Forwarded-User",
      PROXY_TENANT_HEADER: "",
      PROXY_GROUPS_HEADER: "X-Forwarded-Groups",
      PROXY_SCOPE_MAP: ["*=sessions:read", "staff=ops"],
      ...config,
    },
    problems,
  );
  const ask = (address: string, ...headers: (readonly [string, string])[]) =>
    proxy.authenticate(incoming(headers, address));
  return { problems, ask };
}

const utf8 = (text: string): string => Buffer.from(text, "utf8").toString("latin1");

describe("the user that a proxy names", () => {
  it("is the caller, with the scopes of its groups", () => {
    verifies("authentication:proxy", "authentication:requests");
    const { ask } = open();
    expect(ask("10.1.2.3", ["X-Forwarded-User", utf8("josé")], ["X-Forwarded-Groups", "staff, , ops"])).toEqual({
      ...{
        source: "proxy",
        subject: "proxy:josé",
        tenantId: "default",
        userId: "josé",
        apps: undefined,
        groups: ["staff", "ops"],
      },
      scopes: new Set(["sessions:read", "ops"]),
    });
  });

  it("is of the tenant that the proxy names, and refused without a valid one where tenants are configured", () => {
    verifies("authentication:proxy", "authentication:tenants");
    const user = ["X-Forwarded-User", "ada"] as const;
    const { ask } = open({ PROXY_TENANT_HEADER: "X-Forwarded-Tenant" });
    expect(ask("10.1.2.3", user, ["x-forwarded-tenant", "acme"])).toMatchObject({ tenantId: "acme", userId: "ada" });
    for (const value of ["", "../x", "Acme", "a,b"])
      expect(() => ask("10.1.2.3", user, ["X-Forwarded-Tenant", value])).toThrow("names no valid tenant");
    expect(() => ask("10.1.2.3", user)).toThrow("names no valid tenant");
    const twice = [user, ["X-Forwarded-Tenant", "acme"], ["X-Forwarded-Tenant", "globex"]] as const;
    expect(() => ask("10.1.2.3", ...twice)).toThrow(/several headers/);
    expect(ask("198.51.100.1", user, ["X-Forwarded-Tenant", "acme"])).toBeUndefined();
    expect(open().ask("10.1.2.3", user, ["X-Forwarded-Tenant", "acme"])).toMatchObject({ tenantId: "default" });
  });

  it.each(["10.1.255.255", "192.0.2.7", "2001:db8::1", "::ffff:10.1.0.1", "::ffff:192.0.2.7"])(
    "counts from %s",
    (address) => {
      verifies("authentication:proxy");
      expect(open().ask(address, ["X-Forwarded-User", "ada"])).toMatchObject({
        userId: "ada",
        scopes: new Set(["sessions:read"]),
      });
    },
  );

  it.each(["10.2.0.1", "192.0.2.8", "127.0.0.1", "::1", "2001:db9::1", "::ffff:10.2.0.1"])(
    "is not there from %s",
    (address) => {
      verifies("authentication:proxy");
      const forwarded = [
        ["X-Forwarded-User", "ada"],
        ["X-Forwarded-For", "10.1.2.3"],
        ["Forwarded", "for=10.1.2.3"],
      ] as const;
      expect(open().ask(address, ...forwarded)).toBeUndefined();
    },
  );

  it("is missing without its header, and refused if it is none or named twice", () => {
    verifies("authentication:proxy");
    const { ask } = open();
    expect(ask("10.1.2.3", ["X-Forwarded-Groups", "staff"])).toBeUndefined();
    for (const value of ["", "a\u0001b", "\xff", "x".repeat(257)])
      expect(() => ask("10.1.2.3", ["X-Forwarded-User", value])).toThrow("The proxy's header names no valid user.");
    expect(() => ask("10.1.2.3", ["X-Forwarded-User", "ada"], ["x-forwarded-user", "bob"])).toThrow(/several headers/);
    expect(() =>
      ask("10.1.2.3", ["X-Forwarded-User", "ada"], ["X-Forwarded-Groups", "a"], ["X-Forwarded-Groups", "b"]),
    ).toThrow(/several headers/);
  });

  it("needs valid settings", () => {
    verifies("authentication:proxy");
    const TRUSTED_PROXIES = ["10.0.0.0/33", "::1/129", "proxy.internal", "10.0.0.1/8/8", "10.0.0.1/", "1.2.3"];
    expect(open({ TRUSTED_PROXIES, PROXY_SCOPE_MAP: ["staff=everything", "ops", "=ops"] }).problems).toEqual([
      ...TRUSTED_PROXIES.map((entry) => `TRUSTED_PROXIES: ${entry} is not an address or network such as 10.0.0.0/8.`),
      expect.stringMatching(/^PROXY_SCOPE_MAP: staff=everything names no scope of a group\. Scopes are runs:write, /),
      expect.stringMatching(/^PROXY_SCOPE_MAP: =ops names/),
      expect.stringMatching(/^PROXY_SCOPE_MAP: =ops names/),
    ]);
    expect(open({ TRUSTED_PROXIES: [] }).problems).toEqual([expect.stringMatching(/^TRUSTED_PROXIES is not set/)]);
  });
});
