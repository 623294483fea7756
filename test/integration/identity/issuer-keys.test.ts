import { describe, expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { type IdentityConfig, identityConfigSchema } from "#services/gateway/identity/identity-settings.ts";
import { openIdentity } from "#services/gateway/identity/open-identity.ts";
import { defaultsOf } from "#shared/config/config-schema.ts";
import { bearing } from "#test/helpers/identity/incoming.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";
import { TestIssuer, type TokenParts } from "#tooling/identity/test-issuer.ts";

const MINUTE = 60_000;

async function startWorld(settings: Partial<IdentityConfig> = {}) {
  const clock = new FixedClock();
  const issuer = await TestIssuer.start({ now: () => clock.now() });
  const stack = new AsyncDisposableStack();
  stack.use(issuer);
  const config: IdentityConfig = {
    ...defaultsOf(identityConfigSchema),
    ...{ AUTH: ["oidc"], OIDC_ISSUER: issuer.url, OIDC_AUDIENCE: ["agents"] },
    ...settings,
  };
  const openKeyStore = () => Promise.reject(new Error("There are no keys."));
  const identity = await openIdentity({ config, clock, logger: new RecordingLogger(), stack, openKeyStore });
  const [authenticator] = identity?.authenticators ?? [];
  const ask = async (token: string): Promise<unknown> => {
    try {
      return await authenticator?.authenticate(bearing(token));
    } catch (error) {
      return error instanceof PlatformError ? error.reason : error;
    }
  };
  const send = async (parts?: TokenParts): Promise<unknown> => ask(await issuer.token(parts));
  return { clock, issuer, ask, send, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const ACCEPTED = expect.objectContaining({ source: "oidc" });

describe("the keys of an issuer", () => {
  it("are fetched when the first token arrives, once for many", async () => {
    verifies("authentication:oidc:keys", "authentication:requests");
    await using world = await startWorld();
    expect(world.issuer.requests).toEqual([]);
    const sent = await Promise.all(Array.from({ length: 10 }, (_, index) => world.send({ claims: { jti: index } })));
    expect(sent).toEqual(Array.from({ length: 10 }, () => ACCEPTED));
    expect(world.issuer.requests).toEqual(["/.well-known/openid-configuration", "/keys"]);
  });

  it("can be replaced under load without a failed request", async () => {
    verifies("authentication:oidc:keys");
    await using world = await startWorld();
    const answers: unknown[] = [];
    for (let round = 0; round < 5; round += 1) {
      const before = await Promise.all(
        Array.from({ length: 20 }, (_, index) => world.issuer.token({ claims: { jti: `${round}-${index}` } })),
      );
      await world.issuer.rotate({ alg: round % 2 === 0 ? "ES256" : "RS256" });
      const after = await Promise.all(
        Array.from({ length: 20 }, (_, index) => world.issuer.token({ claims: { jti: `${round}+${index}` } })),
      );
      answers.push(...(await Promise.all([...before, ...after].map(world.ask))));
      world.clock.advance(11_000);
    }
    expect(answers.filter((answer) => typeof answer === "string")).toEqual([]);
    expect(answers).toHaveLength(200);
  });

  it("are asked for again every ten seconds at most, whatever unknown keys tokens name", async () => {
    verifies("authentication:oidc:keys");
    await using world = await startWorld();
    await world.send();
    world.clock.advance(10_000);
    for (let index = 0; index < 30; index += 1)
      expect(await world.send({ header: { kid: `random-${index}` } })).toBe("UNAUTHENTICATED");
    expect(world.issuer.requests.filter((path) => path === "/keys")).toHaveLength(2);
    expect(await world.send()).toEqual(ACCEPTED);
  });

  it("serve for ten minutes while the issuer is unavailable, then none of its tokens is accepted", async () => {
    verifies("authentication:oidc:keys");
    await using world = await startWorld();
    await world.send();
    world.issuer.mode = "down";
    world.clock.advance(10 * MINUTE - 1);
    const token = await world.issuer.token({ claims: { jti: "late" } });
    expect(await world.ask(token)).toEqual(ACCEPTED);
    world.clock.advance(1);
    // Also one that was accepted a moment ago.
    expect(await world.ask(token)).toBe("IDENTITY_UNAVAILABLE");
    expect(await world.send()).toBe("IDENTITY_UNAVAILABLE");
    world.clock.advance(60 * MINUTE);
    expect(await world.send()).toBe("IDENTITY_UNAVAILABLE");
    world.issuer.mode = "up";
    world.clock.advance(10_000);
    expect(await world.send()).toEqual(ACCEPTED);
  });

  it("that are withdrawn are refused when the others have been fetched", async () => {
    verifies("authentication:oidc:keys");
    await using world = await startWorld();
    const stolen = await world.issuer.token();
    const forged = await world.issuer.token({
      claims: { jti: "forged", exp: Math.floor(world.clock.now() / 1000) + 9999 },
    });
    expect(await world.ask(stolen)).toEqual(ACCEPTED);
    await world.issuer.rotate({ keepOld: false });
    world.clock.advance(5 * MINUTE);
    // Accepted with the keys of before, which are fetched again in the background.
    await world.send();
    await expect.poll(() => world.ask(forged)).toBe("UNAUTHENTICATED");
  });

  it("are withdrawn within a minute from a token that was accepted", async () => {
    verifies("authentication:oidc:cached");
    await using world = await startWorld();
    const exp = Math.floor(world.clock.now() / 1000) + 9999;
    const token = await world.issuer.token({ claims: { exp } });
    expect(await world.ask(token)).toEqual(ACCEPTED);
    await world.issuer.rotate({ keepOld: false });
    world.clock.advance(10_000);
    // An unknown key makes the server fetch them.
    expect(await world.send({ claims: { exp } })).toEqual(ACCEPTED);
    world.clock.advance(49_999);
    expect(await world.ask(token)).toEqual(ACCEPTED);
    world.clock.advance(1);
    expect(await world.ask(token)).toBe("UNAUTHENTICATED");
  });

  it.each(["down", "broken"] as const)(
    "cannot be fetched from an issuer that is %s, which is asked seldom",
    async (mode) => {
      verifies("authentication:oidc:keys");
      await using world = await startWorld();
      world.issuer.mode = mode;
      for (let count = 0; count < 5; count += 1) expect(await world.send()).toBe("IDENTITY_UNAVAILABLE");
      expect(world.issuer.requests).toHaveLength(1);
    },
  );
});

describe("the caller of a token", () => {
  it("has the scopes of the token and of its groups", async () => {
    verifies("authentication:oidc:user");
    await using world = await startWorld({ OIDC_SCOPE_MAP: ["*=sessions:read", "staff=ops", "a=b=memory"] });
    const claims = { scope: "openid runs:write evals", groups: ["staff", "a=b", 7, "*"], sub: "ada" };
    expect(await world.send({ claims })).toEqual({
      ...{
        source: "oidc",
        subject: `oidc:${world.issuer.url}|ada`,
        tenantId: "default",
        userId: "ada",
        apps: undefined,
      },
      groups: ["staff", "a=b", "*"],
      scopes: new Set(["runs:write", "evals", "sessions:read", "ops", "memory"]),
      expiresAtMs: world.clock.now() + 330_000,
    });
    for (const claim of [{ scp: ["memory"] }, { permissions: ["memory", "x"] }, { scp: "memory" }])
      expect(await world.send({ claims: claim })).toMatchObject({ scopes: new Set(["memory", "sessions:read"]) });
  });

  it("is the user of the named claim, an address only if it is verified", async () => {
    verifies("authentication:oidc:user");
    await using world = await startWorld({ OIDC_USER_CLAIM: "email" });
    const email = "ada@example.com";
    expect(await world.send({ claims: { email, email_verified: true } })).toMatchObject({ userId: email });
    for (const claims of [
      { email },
      { email, email_verified: false },
      { email, email_verified: "true" },
      {},
      { email: "", email_verified: true },
    ])
      expect([claims, await world.send({ claims })]).toEqual([claims, "UNAUTHENTICATED"]);
  });
});
