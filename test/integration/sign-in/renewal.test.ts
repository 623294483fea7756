import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeJwt } from "jose";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "#kit/platform/json.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { SignInWorld } from "#test/helpers/worlds/sign-in-world.ts";
import type { TestIssuer } from "#tooling/identity/test-issuer.ts";

const MINUTE_MS = 60_000;
const TOKEN_MS = 5 * MINUTE_MS;
const REFRESH = "fairlead-refresh";

/** A browser that has signed in at a provider whose id tokens are valid for five minutes, and which renews them. */
async function startSignedIn(
  config: Parameters<typeof SignInWorld.start>[0] = {},
  more: JsonObject = {},
): Promise<SignInWorld> {
  const world = await SignInWorld.start(config);
  const { issuer, clock } = world;
  issuer.givesRefreshTokens = true;
  // The library of the flow reads the system's clock, which does not advance with the world's.
  issuer.changeIdToken = (token) =>
    issuer.token({ claims: { ...decodeJwt(token), ...more, exp: Math.floor((clock.now() + TOKEN_MS) / 1000) } });
  await world.signInWithProvider("ada");
  return world;
}

/** The status, and who is signed in then. */
async function renew(world: SignInWorld, options?: Parameters<SignInWorld["send"]>[2]) {
  const { statusCode, payload } = await world.send("POST", "/auth/refresh", options);
  return [statusCode, payload === "" ? undefined : (JSON.parse(payload).subject ?? JSON.parse(payload).reason)];
}

const ada = ({ issuer }: SignInWorld): string => `oidc:${issuer.url}|ada`;
const NOT_RENEWED = [204, undefined];

describe("a session of an identity provider that renews", () => {
  it("is renewed until the time that the settings allow", async () => {
    verifies("authentication:sign-in:renewal");
    await using world = await startSignedIn({ SESSION_COOKIE_HOURS: 1 });
    for (let minutes = 5; minutes < 60; minutes += 5) {
      world.clock.advance(TOKEN_MS);
      expect(await world.whoami()).toBe("UNAUTHENTICATED");
      expect(await renew(world)).toEqual([200, ada(world)]);
      expect(await world.whoami()).toBe(ada(world));
    }
    world.clock.advance(TOKEN_MS - MINUTE_MS);
    expect(await renew(world)).toEqual([200, ada(world)]);
    // That renewal was the last one.
    expect(world.cookies.has(REFRESH)).toBe(false);
    world.clock.advance(TOKEN_MS);
    expect(await renew(world)).toEqual(NOT_RENEWED);
    expect([await world.whoami(), world.cookies.has(REFRESH)]).toEqual(["UNAUTHENTICATED", false]);
  });

  it("keeps the token sealed, out of scripts, and in requests of the sign-in alone", async () => {
    verifies("authentication:sign-in:renewal");
    await using world = await startSignedIn({ ALLOWED_HOSTS: ["agents.example"] });
    const { pathname, search } = await world.approvedAddress("ada");
    const { cookies } = await world.send("GET", pathname + search);
    const cookie = cookies.find(({ name }) => name === REFRESH);
    expect(cookie).toMatchObject({ path: "/auth", httpOnly: true, sameSite: "Strict", maxAge: 28_800 });
    // Its form is that of random bytes, and it is not accepted as a session.
    world.setCookies(new Map([["fairlead", cookie?.value ?? ""]]));
    expect(await world.whoami()).toBe("UNAUTHENTICATED");
  });

  it("is not asked of the provider while it is valid for long", async () => {
    await using world = await startSignedIn();
    const requests = world.issuer.requests.length;
    expect(await renew(world)).toEqual([200, ada(world)]);
    expect(world.issuer.requests).toHaveLength(requests);
    world.clock.advance(TOKEN_MS - 75_000);
    expect(await renew(world)).toEqual([200, ada(world)]);
    expect(world.issuer.requests.slice(requests)).toContain("/token");
  });

  it("ends where the provider has ended it, and stays renewable while the provider is unavailable", async () => {
    verifies("authentication:sign-in:renewal");
    await using world = await startSignedIn();
    world.clock.advance(TOKEN_MS);
    world.issuer.mode = "down";
    expect(await renew(world)).toEqual([503, "IDENTITY_UNAVAILABLE"]);
    world.issuer.mode = "up";
    expect(world.cookies.has(REFRESH)).toBe(true);
    const used = new Map(world.cookies);
    expect(await renew(world)).toEqual([200, ada(world)]);
    world.setCookies(used);
    expect(await renew(world)).toEqual(NOT_RENEWED);
    expect([...world.cookies.keys()]).toEqual(["fairlead"]);
  });

  it.each([
    [429, "temporarily_unavailable"],
    [400, "slow_down"],
    [401, "invalid_client"],
  ])("stays renewable while the provider refuses with %s %s", async (status, error) => {
    verifies("authentication:sign-in:renewal");
    await using world = await startSignedIn();
    world.clock.advance(TOKEN_MS);
    Object.assign(world.issuer, { mode: "broken", refusal: { status, error } });
    const used = new Map(world.cookies);
    expect(await renew(world)).toEqual([503, "IDENTITY_UNAVAILABLE"]);
    expect(world.cookies).toEqual(used);
  });

  it("never becomes a session of another user", async () => {
    verifies("authentication:sign-in:renewal");
    await using world = await startSignedIn();
    world.clock.advance(TOKEN_MS);
    world.issuer.changeIdToken = (token) => world.issuer.token({ claims: { ...decodeJwt(token), sub: "eve" } });
    expect(await renew(world)).toEqual(NOT_RENEWED);
    expect(await world.whoami()).toBe("UNAUTHENTICATED");
    const refused = world.decisions.filter(({ action, decision }) => action === "signIn" && decision === "refused");
    expect(refused).toMatchObject([{ subject: ada(world), reason: "UNAUTHENTICATED", address: "127.0.0.1" }]);
  });

  it("never becomes a session of another tenant", async () => {
    verifies("authentication:sign-in:renewal", "authentication:tenants");
    await using world = await SignInWorld.start({ OIDC_TENANT_CLAIM: "org", OIDC_TENANTS: ["acme", "globex"] });
    const { issuer, clock } = world;
    issuer.givesRefreshTokens = true;
    const nameTenant = (org: string): void => {
      issuer.changeIdToken = (token) => {
        const exp = Math.floor((clock.now() + TOKEN_MS) / 1000);
        return issuer.token({ claims: { ...decodeJwt(token), org, exp } });
      };
    };
    nameTenant("acme");
    await world.signInWithProvider("ada");
    clock.advance(TOKEN_MS);
    expect(await renew(world)).toEqual([200, ada(world)]);
    expect((await world.send("GET", "/auth/me")).json()).toMatchObject({ tenantId: "acme" });
    clock.advance(TOKEN_MS);
    nameTenant("globex");
    expect(await renew(world)).toEqual(NOT_RENEWED);
    expect(await world.whoami()).toBe("UNAUTHENTICATED");
    const refused = world.decisions.filter(({ action, decision }) => action === "signIn" && decision === "refused");
    expect(refused).toMatchObject([{ subject: ada(world), tenantId: "acme", reason: "UNAUTHENTICATED" }]);
  });

  it("does not replace the session of a later sign-in", async () => {
    verifies("authentication:sign-in:renewal");
    await using world = await startSignedIn();
    const refresh = world.cookies.get(REFRESH) ?? "";
    const { id, text } = await world.createKey();
    await world.signInWithKey(text);
    expect([...world.cookies.keys()]).toEqual(["fairlead"]);
    // A browser that has kept the cookie of the earlier session.
    world.setCookies(new Map([...world.cookies, [REFRESH, refresh]]));
    expect(await renew(world)).toEqual(NOT_RENEWED);
    expect([await world.whoami(), world.cookies.has(REFRESH)]).toEqual([`key:${id}`, false]);
  });

  it("has the groups that the provider names now", async () => {
    verifies("authentication:sign-in:renewal");
    await using world = await startSignedIn();
    world.clock.advance(TOKEN_MS);
    const exp = Math.floor((world.clock.now() + TOKEN_MS) / 1000);
    world.issuer.changeIdToken = (token) =>
      world.issuer.token({ claims: { ...decodeJwt(token), exp, groups: ["moved"] } });
    await renew(world);
    expect((await world.send("GET", "/auth/me")).json().groups).toEqual(["moved"]);
  });

  it("ends with the sign-out, also for a copy of its cookies and at the provider", async () => {
    verifies("authentication:sign-in:sign-out");
    await using world = await startSignedIn();
    const copy = new Map(world.cookies);
    expect((await world.send("POST", "/auth/logout")).statusCode).toBe(204);
    expect(world.cookies.size).toBe(0);
    await expect.poll(() => world.issuer.requests).toContain("/revoke");
    world.setCookies(copy);
    world.clock.advance(TOKEN_MS);
    expect(await renew(world)).toEqual(NOT_RENEWED);
  });

  it("ends with a sign-out during its renewal, whose token is revoked too", async () => {
    verifies("authentication:sign-in:sign-out");
    await using world = await startSignedIn();
    world.clock.advance(TOKEN_MS);
    const { changeIdToken } = world.issuer;
    world.issuer.changeIdToken = async (token) => {
      await world.send("POST", "/auth/logout");
      return changeIdToken(token);
    };
    expect(await renew(world)).toEqual(NOT_RENEWED);
    expect(world.cookies.size).toBe(0);
    const revocations = () => world.issuer.requests.filter((path) => path === "/revoke").length;
    await expect.poll(revocations).toBe(2);
  });

  it("does not replace the session of a user who signs in during its renewal", async () => {
    verifies("authentication:sign-in:renewal");
    await using world = await startSignedIn();
    const { id, text } = await world.createKey();
    world.clock.advance(TOKEN_MS);
    const { changeIdToken } = world.issuer;
    world.issuer.changeIdToken = async (token) => {
      await world.signInWithKey(text);
      return changeIdToken(token);
    };
    expect(await renew(world)).toEqual(NOT_RENEWED);
    expect([await world.whoami(), world.cookies.has(REFRESH)]).toEqual([`key:${id}`, false]);
    const revocations = () => world.issuer.requests.filter((path) => path === "/revoke").length;
    await expect.poll(revocations).toBe(2);
  });

  it("stays what it was before a user signs in, if its renewal is answered first and arrives last", async () => {
    verifies("authentication:sign-in:late-renewal");
    await using world = await startSignedIn();
    const { text } = await world.createKey();
    world.clock.advance(TOKEN_MS);
    const earlier = new Map(world.cookies);
    expect(await renew(world)).toEqual([200, ada(world)]);
    const late = new Map(world.cookies);
    world.setCookies(earlier);
    await world.signInWithKey(text);
    world.setCookies(new Map([...world.cookies, ...late]));
    expect(await world.whoami()).toBe("UNAUTHENTICATED");
    expect(await renew(world)).toEqual(NOT_RENEWED);
  });

  it("ends when another user signs in with a provider that does not renew, also for its cookies that stayed", async () => {
    verifies("authentication:sign-in:renewal", "authentication:sign-in:late-renewal");
    await using world = await startSignedIn();
    const earlier = new Map(world.cookies);
    world.issuer.givesRefreshTokens = false;
    await world.signInWithProvider("bob");
    expect([await world.whoami(), world.cookies.has(REFRESH)]).toEqual([`oidc:${world.issuer.url}|bob`, false]);
    world.setCookies(earlier);
    expect(await world.whoami()).toBe("UNAUTHENTICATED");
    // When no session is left, what renews the earlier one would begin it again.
    world.clock.advance(TOKEN_MS);
    expect(await renew(world)).toEqual(NOT_RENEWED);
  });

  it("ends when the settings let its provider name its tenant no more", async () => {
    verifies("authentication:sign-in:tenant");
    const folder = mkdtempSync(join(tmpdir(), "fairlead-cookie-"));
    try {
      const SESSION_COOKIE_KEY_FILE = join(folder, "keys");
      writeFileSync(SESSION_COOKIE_KEY_FILE, randomBytes(32).toString("base64"));
      const of = (tenants: readonly string[], issuer?: TestIssuer) =>
        SignInWorld.start({ SESSION_COOKIE_KEY_FILE, OIDC_TENANT_CLAIM: "org", OIDC_TENANTS: [...tenants] }, issuer);
      await using before = await of(["acme", "globex"]);
      before.issuer.changeIdToken = (token) => before.issuer.token({ claims: { ...decodeJwt(token), org: "acme" } });
      await before.signInWithProvider("ada");
      expect(await before.whoami()).toBe(ada(before));
      for (const [tenants, expected] of [
        [["globex"], "UNAUTHENTICATED"],
        [["acme"], ada(before)],
      ] as const) {
        await using after = await of(tenants, before.issuer);
        after.setCookies(before.cookies);
        expect(await after.whoami()).toBe(expected);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.each([
    ["the claim of its tenant", { OIDC_TENANT_CLAIM: "company" }],
    ["a tenant for all its users", { OIDC_TENANT: "acme", OIDC_TENANT_CLAIM: "" }],
    ["the claim of its user", { OIDC_USER_CLAIM: "email" }],
    ["what its groups allow", { OIDC_SCOPE_MAP: ["*=sessions:read"] }],
  ])("is read from the provider again when the settings change %s", async (_, changed) => {
    verifies("authentication:sign-in:rules");
    const folder = agentsFolder({ keys: randomBytes(32).toString("base64") });
    const SESSION_COOKIE_KEY_FILE = join(folder.path, "keys");
    const settings = { SESSION_COOKIE_KEY_FILE, OIDC_TENANT_CLAIM: "org" };
    const email = { email: "ada@example.com", email_verified: true };
    await using before = await startSignedIn(settings, { org: "acme", company: "globex", ...email });
    await using same = await SignInWorld.start(settings, before.issuer);
    await using after = await SignInWorld.start({ ...settings, ...changed }, before.issuer);
    for (const world of [same, after]) world.setCookies(before.cookies);
    expect([await same.whoami(), await after.whoami()]).toEqual([ada(before), "UNAUTHENTICATED"]);
    const moves = "OIDC_TENANT_CLAIM" in changed && changed.OIDC_TENANT_CLAIM === "company";
    expect(await renew(after)).toEqual(moves ? NOT_RENEWED : [200, ada(before)]);
    expect(await after.whoami()).toBe(moves ? "UNAUTHENTICATED" : ada(before));
  });

  it("is renewed for pages of this server only", async () => {
    verifies("authentication:sign-in:own-pages");
    await using world = await startSignedIn();
    world.clock.advance(TOKEN_MS);
    const headers = { "sec-fetch-site": "cross-site", origin: "https://other.example" };
    expect(await renew(world, { headers })).toEqual([403, "ORIGIN_NOT_ALLOWED"]);
  });

  it("of an API key, or without a session, is not renewed", async () => {
    await using world = await SignInWorld.start();
    expect(await renew(world)).toEqual(NOT_RENEWED);
    const { text } = await world.createKey();
    await world.signInWithKey(text);
    expect(await renew(world)).toEqual(NOT_RENEWED);
  });
});
