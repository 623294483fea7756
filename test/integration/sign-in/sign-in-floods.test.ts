import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { SignInWorld } from "#test/helpers/worlds/sign-in-world.ts";

const BEGUN_BEFORE = "This sign-in was already completed. Begin again.";
const TOO_MANY = "Too many sign-ins are being completed. Reload this page in a moment.";

describe("requests to the identity provider that anybody can cause", () => {
  it("are one for each sign-in, however often its cookie is sent", async () => {
    verifies("authentication:sign-in:floods");
    await using world = await SignInWorld.start();
    const { pathname, searchParams } = await world.approvedAddress("ada");
    const cookies = new Map(world.cookies);
    const outcomes: unknown[] = [];
    for (const code of ["a", "b", "c"]) {
      world.setCookies(cookies);
      searchParams.set("code", code);
      outcomes.push(await finish(world, `${pathname}?${searchParams}`));
    }
    expect(outcomes).toEqual([
      [401, "The identity provider has not signed you in. Try again."],
      [401, BEGUN_BEFORE],
      [401, BEGUN_BEFORE],
    ]);
    expect(requestsTo(world, "/token")).toBe(1);
    expect(world.cookies.size).toBe(0);
  });

  it("are limited for each client; those that come too soon can be ended later, and by others now", async () => {
    verifies("authentication:sign-in:floods");
    await using world = await SignInWorld.start();
    const other = await world.approvedAddress("bob");
    const othersCookies = new Map(world.cookies);
    world.setCookies(new Map());
    const good = await world.approvedAddress("ada");
    const cookies = new Map(world.cookies);
    for (let sent = 0; sent < 100; sent += 1) {
      const { searchParams } = new URL(await startAddress(world));
      const query = new URLSearchParams({ code: "x", iss: world.issuer.url, state: searchParams.get("state") ?? "" });
      await world.send("GET", `/auth/callback?${query}`);
    }
    world.setCookies(cookies);
    const answer = await world.send("GET", good.pathname + good.search);
    expect([answer.statusCode, answer.headers["retry-after"], alertOf(answer.body)]).toEqual([503, "1", TOO_MANY]);
    expect([requestsTo(world, "/token"), world.cookies.size]).toEqual([100, 1]);
    world.setCookies(othersCookies);
    const others = await world.send("GET", other.pathname + other.search, { remoteAddress: "192.0.2.7" });
    expect(others.statusCode).toBe(200);
    world.setCookies(cookies);
    world.clock.advance(1000);
    expect((await finish(world, good.pathname + good.search))[0]).toBe(200);
  });

  it("are not repeated for five seconds if the provider cannot be reached", async () => {
    verifies("authentication:sign-in:floods");
    await using world = await SignInWorld.start();
    world.issuer.mode = "down";
    for (let sent = 0; sent < 20; sent += 1) {
      const { statusCode, headers } = await world.send("GET", "/auth/start?provider=0");
      expect([statusCode, headers["retry-after"]]).toEqual([503, "5"]);
    }
    expect(world.issuer.requests).toHaveLength(1);
  });

  it("are limited for renewals with copies of one session's cookies", async () => {
    verifies("authentication:sign-in:floods");
    await using world = await SignInWorld.start();
    world.issuer.givesRefreshTokens = true;
    await world.signInWithProvider("ada");
    world.clock.advance(360_000);
    world.issuer.mode = "broken";
    world.issuer.refusal = { status: 500, error: "server_error" };
    const before = requestsTo(world, "/token");
    const copies = new Map(world.cookies);
    const reasons = new Set<string>();
    for (let sent = 0; sent < 510; sent += 1) {
      world.setCookies(copies);
      reasons.add((await world.send("POST", "/auth/refresh")).json().error);
    }
    expect([...reasons]).toEqual([
      "The identity provider cannot renew the session now. Try again soon.",
      "Too many sessions are being renewed. Try again soon.",
    ]);
    expect(requestsTo(world, "/token") - before).toBe(500);
  });
});

async function startAddress(world: SignInWorld): Promise<string> {
  return String((await world.send("GET", "/auth/start?provider=0")).headers.location);
}

async function finish(world: SignInWorld, url: string): Promise<readonly [number, string | undefined]> {
  const { statusCode, body } = await world.send("GET", url);
  return [statusCode, alertOf(body)];
}

function alertOf(html: string): string | undefined {
  return /role="alert">([^<]*)/.exec(html)?.[1];
}

function requestsTo(world: SignInWorld, path: string): number {
  return world.issuer.requests.filter((url) => url.startsWith(path)).length;
}
