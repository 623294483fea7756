import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRedis } from "#adapters/redis/create-redis.ts";
import { RedisEndedSessions } from "#adapters/redis/redis-ended-sessions.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { SignInWorld } from "#test/helpers/worlds/sign-in-world.ts";
import { RedisServer, whyNoRedis } from "#tooling/emulators/redis-server.ts";

const CHECK_EVERY_MS = 5000;
const HOUR_MS = 60 * 60_000;

describe.skipIf(whyNoRedis() !== undefined)("a sign-out at one of two gateways", () => {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-cookie-"));
  const SESSION_COOKIE_KEY_FILE = join(folder, "keys");
  let server: RedisServer;
  let worlds = 0;

  beforeAll(async () => {
    writeFileSync(SESSION_COOKIE_KEY_FILE, randomBytes(32).toString("base64"));
    server = await RedisServer.start();
  });

  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  /** Two gateways with one provider, keys of cookies and Redis, each with its own connection. */
  async function startBoth() {
    await using stack = new AsyncDisposableStack();
    worlds += 1;
    const keyPrefix = `gateways-${worlds}`;
    const connect = () => {
      const redis = createRedis({ url: server.url });
      stack.defer(() => redis.disconnect());
      return { redis, ended: stack.use(new RedisEndedSessions({ redis, keyPrefix })) };
    };
    const [one, two] = [connect(), connect()];
    const config = { SESSION_COOKIE_KEY_FILE, OIDC_TENANT: "acme" };
    const first = stack.use(await SignInWorld.start(config, undefined, one.ended));
    const second = stack.use(await SignInWorld.start(config, first.issuer, two.ended));
    const owned = stack.move();
    return { first, second, keyPrefix, redis: two.redis, [Symbol.asyncDispose]: () => owned.disposeAsync() };
  }

  it("ends the session at the other one within seconds, and until its cookies expire", async () => {
    verifies("authentication:sign-in:sign-out");
    await using both = await startBoth();
    const { first, second, redis, keyPrefix } = both;
    await first.signInWithProvider("ada");
    second.setCookies(first.cookies);
    expect(await second.whoami()).toBe(`oidc:${first.issuer.url}|ada`);
    await first.send("POST", "/auth/logout");
    second.clock.advance(CHECK_EVERY_MS);
    expect(await second.whoami()).toBe("UNAUTHENTICATED");
    const [key = "", ...others] = await redis.keys(`${keyPrefix}:*`);
    expect([key, others]).toEqual([expect.stringContaining(`${keyPrefix}:tenants:acme:ended:`), []]);
    const leftMs = await redis.pttl(key);
    expect(leftMs > 0 && leftMs <= 8 * HOUR_MS).toBe(true);
  });

  it("is known to a gateway that sees the copy of a cookie for the first time", async () => {
    verifies("authentication:sign-in:sign-out");
    await using both = await startBoth();
    const { first, second } = both;
    await first.signInWithProvider("ada");
    const copy = new Map(first.cookies);
    await first.send("POST", "/auth/logout");
    second.setCookies(copy);
    expect(await second.whoami()).toBe("UNAUTHENTICATED");
    await first.signInWithProvider("ada");
    second.setCookies(first.cookies);
    expect(await second.whoami()).toBe(`oidc:${first.issuer.url}|ada`);
  });

  it("ends a session whose renewal arrives after another user has signed in, also where it was looked up just now", async () => {
    verifies("authentication:sign-in:late-renewal");
    await using both = await startBoth();
    const { first, second } = both;
    first.issuer.givesRefreshTokens = true;
    first.issuer.changeIdToken = (token) =>
      first.issuer.token({ claims: { ...decodeJwt(token), exp: Math.floor(first.clock.now() / 1000) + 60 } });
    await first.signInWithProvider("ada");
    const earlier = new Map(first.cookies);
    first.clock.advance(1000);
    await first.send("POST", "/auth/refresh");
    const late = new Map(first.cookies);
    expect(late.get("fairlead")).not.toBe(earlier.get("fairlead"));
    second.setCookies(earlier);
    expect(await second.whoami()).toBe(`oidc:${first.issuer.url}|ada`);
    first.setCookies(earlier);
    const { id, text } = await first.createKey();
    await first.signInWithKey(text);
    expect(await first.whoami()).toBe(`key:${id}`);
    second.setCookies(new Map([...first.cookies, ...late]));
    expect(await second.whoami()).toBe("UNAUTHENTICATED");
  });

  it("signs nobody out while Redis cannot be reached", async () => {
    verifies("authentication:sign-in:sign-out");
    await using both = await startBoth();
    const { first, second, redis } = both;
    await first.signInWithProvider("ada");
    second.setCookies(first.cookies);
    redis.disconnect();
    expect(await second.whoami()).toBe(`oidc:${first.issuer.url}|ada`);
    expect((await second.send("POST", "/auth/logout")).statusCode).toBe(204);
  });
});
