import { decodeJwt, type JWTPayload } from "jose";
import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { SignInWorld } from "#test/helpers/worlds/sign-in-world.ts";

const HOUR_MS = 60 * 60_000;
const SESSIONS = "/apps/echo/users/ada/sessions";

describe("signing in with an API key", () => {
  it("sets a cookie by which the key's user reaches its own data, and no other's", async () => {
    verifies("authentication:sign-in:cookie", "authentication:sign-in:page");
    await using world = await SignInWorld.start();
    const { id, text } = await world.createKey();
    const answer = await world.signInWithKey(text);
    expect([answer.statusCode, answer.cookies]).toEqual([
      204,
      [{ name: "fairlead", value: expect.any(String), path: "/", httpOnly: true, sameSite: "Strict", maxAge: 28_800 }],
    ]);
    expect(answer.cookies[0]?.value).not.toContain(id);
    expect((await world.send("GET", "/auth/me")).json()).toEqual({
      ...{ source: "session", subject: `key:${id}`, userId: "ada", keyId: id },
      ...{ groups: [], scopes: ["sessions:read"], expiresAtMs: world.clock.now() + 8 * HOUR_MS },
    });
    expect((await world.send("GET", SESSIONS)).statusCode).toBe(200);
    expect((await world.send("GET", "/apps/echo/users/bob/sessions")).json().reason).toBe("USER_NOT_ALLOWED");
    expect((await world.send("POST", SESSIONS, { body: {} })).json().reason).toBe("SCOPE_MISSING");
  });

  it("needs https elsewhere than on loopback, and binds the cookie to the host", async () => {
    verifies("authentication:sign-in:cookie");
    await using world = await SignInWorld.start({ ALLOWED_HOSTS: ["agents.example"] });
    const { text: key } = await world.createKey();
    const headers = { host: "agents.example" };
    const [cookie] = (await world.send("POST", "/auth/login", { headers, body: { key } })).cookies;
    expect([cookie?.name, cookie?.secure, cookie?.path]).toEqual(["__Host-fairlead", true, "/"]);
    await using below = await SignInWorld.start({ ALLOWED_HOSTS: ["agents.example"], PATH_PREFIX: "/team" });
    const { text } = await below.createKey();
    const [other] = (await below.send("POST", "/auth/login", { headers, body: { key: text } })).cookies;
    expect([other?.name, other?.secure, other?.path]).toEqual(["__Secure-fairlead", true, "/team"]);
  });

  it("refuses a wrong key, and a page of another origin", async () => {
    await using world = await SignInWorld.start({ CORS_ORIGINS: ["https://friend.example"] });
    const { text } = await world.createKey();
    expect((await world.signInWithKey(`${text.slice(0, -1)}!`)).json().reason).toBe("UNAUTHENTICATED");
    const foreign = { "sec-fetch-site": "cross-site", origin: "https://friend.example" };
    const answer = await world.send("POST", "/auth/login", { headers: foreign, body: { key: text } });
    expect([answer.json().reason, world.cookies.size]).toEqual(["ORIGIN_NOT_ALLOWED", 0]);
  });

  it("says which address it expects, to browsers that reach the server under another one", async () => {
    verifies("authentication:sign-in:own-pages");
    await using world = await SignInWorld.start({
      ALLOWED_HOSTS: ["10.1.2.3"],
      CORS_ORIGINS: ["https://agents.example"],
    });
    const { text: key } = await world.createKey();
    // By plain http, and behind a proxy that replaces the name.
    for (const origin of ["http://10.1.2.3:8000", "https://agents.example"]) {
      const headers = { host: "10.1.2.3:8000", origin };
      const { reason, message } = (await world.send("POST", "/auth/login", { headers, body: { key } })).json();
      expect([reason, message]).toEqual([
        "ORIGIN_NOT_ALLOWED",
        expect.stringMatching(/only pages of https:\/\/10\.1\.2\.3:8000 sign in .* set PUBLIC_URL/),
      ]);
    }
  });

  it("ends with the key: within a minute of its revocation, and when it expires", async () => {
    verifies("authentication:sign-in:cookie");
    await using world = await SignInWorld.start();
    const short = await world.createKey({ expiresInSeconds: 60 });
    expect((await world.signInWithKey(short.text)).cookies[0]?.maxAge).toBe(60);
    world.clock.advance(60_000);
    expect(await world.whoami()).toBe("UNAUTHENTICATED");
    const deleted = await world.createKey();
    await world.signInWithKey(deleted.text);
    await world.deleteKeys();
    world.clock.advance(60_000);
    expect(await world.whoami()).toBe("UNAUTHENTICATED");
    const key = await world.createKey();
    await world.signInWithKey(key.text);
    await world.revoke(key.id);
    world.clock.advance(60_000);
    expect(await world.whoami()).toBe("UNAUTHENTICATED");
  });
});

describe("signing in with an identity provider", () => {
  it("uses the code flow with PKCE, state and nonce, and leads to the page that was asked for", async () => {
    verifies("authentication:sign-in:page");
    await using world = await SignInWorld.start();
    const started = await world.send("GET", "/auth/start?provider=0&next=/console?find=x");
    const { origin, pathname, searchParams } = new URL(String(started.headers.location));
    expect([origin + pathname, Object.fromEntries(searchParams)]).toEqual([
      `${world.issuer.url}/authorize`,
      {
        ...{ client_id: "pages", response_type: "code", scope: "openid profile email" },
        ...{ redirect_uri: "http://localhost:8000/auth/callback", code_challenge_method: "S256" },
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        state: expect.stringMatching(/^[\w-]{43}$/),
        nonce: expect.stringMatching(/^[\w-]{43}$/),
      },
    ]);
    expect(started.cookies).toEqual([
      expect.objectContaining({ name: "fairlead-flow", path: "/auth", httpOnly: true, sameSite: "Lax", maxAge: 600 }),
    ]);
    const ended = await world.signInWithProvider("ada", "/console?find=x");
    expect(ended.body).toContain(`content="0;url=/console?find=x"`);
    expect([...world.cookies.keys()]).toEqual(["fairlead"]);
    const me = (await world.send("GET", "/auth/me")).json();
    expect(me).toEqual({
      ...{ source: "session", subject: `oidc:${world.issuer.url}|ada`, userId: "ada" },
      ...{ groups: ["group-of-ada"], scopes: ["sessions:read", "sessions:write"], expiresAtMs: me.expiresAtMs },
    });
    // The token is valid for five minutes.
    expect(Math.abs(me.expiresAtMs - world.clock.now() - 300_000)).toBeLessThan(60_000);
    expect((await world.send("POST", SESSIONS, { body: {} })).statusCode).toBe(200);
    world.clock.advance(360_000);
    expect(await world.whoami()).toBe("UNAUTHENTICATED");
  });

  it("keeps the page in the tenant that the id token names", async () => {
    verifies("authentication:tenants", "authentication:sign-in:cookie");
    await using world = await SignInWorld.start({ OIDC_TENANT_CLAIM: "sub", OIDC_TENANTS: ["ada"] });
    await world.signInWithProvider("ada", "/");
    expect((await world.send("GET", "/auth/me")).json()).toMatchObject({ tenantId: "ada", userId: "ada" });
    expect((await world.send("POST", `${SESSIONS}/s`, { body: {} })).statusCode).toBe(200);
    await world.send("POST", "/auth/logout");
    const { text } = await world.createKey();
    await world.signInWithKey(text);
    expect((await world.send("GET", "/auth/me")).json()).not.toHaveProperty("tenantId");
    expect((await world.send("GET", SESSIONS)).json()).toEqual([]);
    expect((await world.signInWithProvider("eve", "/")).statusCode).toBe(401);
  });

  it("refuses an answer to another request, a repeated one, one of another browser, and a late one", async () => {
    await using world = await SignInWorld.start();
    const first = await world.approvedAddress("eve");
    await world.approvedAddress("ada");
    const finish = async ({ pathname, search }: URL) => {
      const { statusCode, body } = await world.send("GET", pathname + search);
      return [statusCode, /role="alert">([^<]*)/.exec(body)?.[1]];
    };
    const notSignedIn = [401, "The identity provider has not signed you in. Try again."];
    const begun = [401, "The sign-in took too long, or was begun in another browser. Begin again."];
    expect(await finish(first)).toEqual(notSignedIn);
    expect(await finish(first)).toEqual(begun);
    const good = await world.approvedAddress("ada");
    const flow = world.cookies;
    const kept = new Map(flow);
    expect((await finish(good))[0]).toBe(200);
    world.setCookies(kept);
    expect(await finish(good)).toEqual([401, "This sign-in was already completed. Begin again."]);
    const late = await world.approvedAddress("ada");
    world.clock.advance(600_000);
    expect(await finish(late)).toEqual(begun);
    expect(await finish(new URL("http://localhost:8000/auth/callback?error=access_denied"))).toEqual(begun);
    expect(world.cookies.size).toBe(0);
  });

  it.each<[string, (claims: JWTPayload) => JWTPayload]>([
    ["of another client", (claims) => ({ ...claims, aud: "other" })],
    ["of another sign-in", (claims) => ({ ...claims, nonce: "other" })],
    ["of another issuer", (claims) => ({ ...claims, iss: "https://other.example.com" })],
  ])("refuses an id token %s", async (_, change) => {
    await using world = await SignInWorld.start();
    world.issuer.changeIdToken = (token) => world.issuer.token({ claims: change(decodeJwt(token)) });
    const { pathname, search } = await world.approvedAddress("ada");
    expect((await world.send("GET", pathname + search)).statusCode).toBe(401);
  });

  it("refuses an id token whose claims were changed after it was signed", async () => {
    await using world = await SignInWorld.start();
    world.issuer.changeIdToken = (token) => {
      const [head, , signature] = token.split(".");
      const claims = Buffer.from(JSON.stringify({ ...decodeJwt(token), sub: "eve" })).toString("base64url");
      return [head, claims, signature].join(".");
    };
    const { pathname, search } = await world.approvedAddress("ada");
    expect((await world.send("GET", pathname + search)).statusCode).toBe(401);
  });

  it("describes a provider that is unavailable", async () => {
    await using world = await SignInWorld.start();
    world.issuer.mode = "down";
    const answer = await world.send("GET", "/auth/start?provider=0");
    expect([answer.statusCode, answer.body.includes("cannot be reached")]).toEqual([503, true]);
    world.issuer.mode = "up";
    world.clock.advance(5000);
    expect((await world.send("GET", "/auth/start?provider=0")).statusCode).toBe(302);
    expect((await world.send("GET", "/auth/start?provider=1")).statusCode).toBe(404);
  });
});

describe("the cookie of a page", () => {
  it("serves own pages only, also where CORS allows others", async () => {
    verifies("authentication:sign-in:own-pages");
    await using world = await SignInWorld.start({ CORS_ORIGINS: ["https://friend.example", "http://localhost:3000"] });
    await world.signInWithProvider("ada");
    const send = async (method: "GET" | "POST", headers: Readonly<Record<string, string>>) =>
      (await world.send(method, SESSIONS, { headers, ...(method === "POST" && { body: {} }) })).statusCode;
    const own = "http://localhost:8000";
    expect(await send("POST", { origin: own })).toBe(200);
    for (const [site, origin] of [
      ["cross-site", "https://friend.example"],
      ["same-site", "http://localhost:3000"],
      ["same-origin", "http://localhost:3000"],
      ["none", "http://localhost:3000"],
    ] as const) {
      expect([await send("GET", { "sec-fetch-site": site, origin }), site]).toEqual([401, site]);
      expect([await send("POST", { "sec-fetch-site": site, origin }), site]).toEqual([401, site]);
      const forwarded = { origin, "sec-fetch-site": site, "x-forwarded-host": origin.replace(/^\w+:\/\//, "") };
      expect([await send("POST", forwarded), site]).toEqual([401, site]);
    }
  });

  it("is refused if it is changed, moved, of another kind, or of another server's key", async () => {
    verifies("authentication:sign-in:cookie");
    await using world = await SignInWorld.start();
    const flow = (await world.send("GET", "/auth/start?provider=0")).cookies[0]?.value ?? "";
    await world.signInWithProvider("ada");
    const good = world.cookies.get("fairlead") ?? "";
    await using other = await SignInWorld.start();
    await other.signInWithProvider("ada");
    const texts = [
      good,
      `${good.slice(0, 40)}A${good.slice(41)}`,
      `${good.slice(0, 40)}B${good.slice(41)}`,
      flow,
      "x",
      "",
    ];
    const seen: string[] = [];
    for (const value of [...texts, other.cookies.get("fairlead") ?? ""]) {
      world.setCookies(new Map([["fairlead", value]]));
      seen.push(await world.whoami());
    }
    const subject = `oidc:${world.issuer.url}|ada`;
    expect(seen.slice(0, 1)).toEqual([subject]);
    // One of the two replaced letters may be the one that was there.
    expect(seen.slice(1, 3)).toContain("UNAUTHENTICATED");
    expect(seen.slice(3)).toEqual(Array(4).fill("UNAUTHENTICATED"));
  });

  it("is deleted by a sign-out, after which the process refuses copies of it", async () => {
    verifies("authentication:sign-in:sign-out");
    await using world = await SignInWorld.start();
    await world.signInWithProvider("ada");
    const copy = new Map(world.cookies);
    const foreign = { "sec-fetch-site": "cross-site", origin: "https://evil.example" };
    expect((await world.send("POST", "/auth/logout", { headers: foreign })).statusCode).toBe(403);
    expect(await world.whoami()).toBe(`oidc:${world.issuer.url}|ada`);
    expect((await world.send("POST", "/auth/logout")).statusCode).toBe(204);
    expect(world.cookies.size).toBe(0);
    world.setCookies(copy);
    expect(await world.whoami()).toBe("UNAUTHENTICATED");
  });

  it("counts after credentials in a header", async () => {
    await using world = await SignInWorld.start();
    await world.signInWithProvider("ada");
    const { id, text } = await world.createKey();
    expect(await world.whoami({ headers: { authorization: `Bearer ${text}` } })).toBe(`key:${id}`);
    expect(await world.whoami({ headers: { authorization: "Bearer fl_wrong" } })).toBe("UNAUTHENTICATED");
  });
});

describe("a page without a session", () => {
  it("leads to the login page and back, below every prefix; requests for data get 401", async () => {
    verifies("authentication:sign-in:page");
    await using world = await SignInWorld.start({ PATH_PREFIX: "/team" });
    const locations = async (url: string) => {
      const { statusCode, headers } = await world.send("GET", url);
      return [statusCode, headers.location];
    };
    const login = "/team/auth/login?next=";
    expect(await locations("/console?find=a%26b")).toEqual([302, `${login}%2Fconsole%3Ffind%3Da%2526b`]);
    expect(await locations("/team/docs")).toEqual([302, `${login}%2Fdocs`]);
    expect(await locations(SESSIONS)).toEqual([401, undefined]);
    const page = await world.send("GET", "/auth/login?next=%2Fconsole%3Ffind%3D%22%3E%3Cb%3E");
    expect(page.headers["content-security-policy"]).toContain("script-src 'self'; style-src 'self';");
    expect(page.body).toContain(`data-next="/team/console?find=%22%3E%3Cb%3E"`);
    await world.signInWithProvider("ada");
    expect(await locations("/console")).toEqual([200, undefined]);
  });
});

it("has no login page without authentication, where everybody is signed in", async () => {
  await using world = await SignInWorld.start({ AUTH: ["none"] });
  expect(await world.whoami()).toBe("anonymous");
  expect((await world.send("GET", "/auth/login")).statusCode).toBe(404);
  expect((await world.send("GET", "/console")).statusCode).toBe(200);
});
