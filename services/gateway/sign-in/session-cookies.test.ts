import { expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { incoming } from "#test/helpers/identity/incoming.ts";
import type { Caller } from "../identity/caller.ts";
import { CookieSeal } from "./cookie-seal.ts";
import { PageAddress } from "./page-address.ts";
import { PageCookies } from "./page-cookies.ts";
import { openSession } from "./page-session.ts";
import { SessionCookies } from "./session-cookies.ts";

const LONGEST_MS = 8 * 60 * 60_000;
const PROVIDER = { issuer: "https://issuer.example", rules: "rules" };
const REQUEST = incoming([["Host", "127.0.0.1:8000"]]);

function createWorld() {
  const clock = new FixedClock();
  const seal = new CookieSeal(() => [Buffer.alloc(32, 1)]);
  const cookies = new PageCookies(new PageAddress({ publicUrl: "", path: "" }, []));
  const sessions = new SessionCookies({ seal, cookies, longestMs: LONGEST_MS, clock, ids: new SequentialIds() });
  const caller = (more: Partial<Caller> = {}): Caller => ({
    ...{ source: "oidc", subject: "oidc:ada", tenantId: "acme", userId: "ada", apps: undefined },
    ...{ groups: ["staff"], scopes: new Set(["runs:write"] as const), expiresAtMs: clock.now() + 60_000, ...more },
  });
  /** The names, values and ages of the headers. */
  const read = (headers: readonly string[]) =>
    headers.map((header) => {
      const [, name = "", value = "", age] = /^([^=]+)=([^;]*);.* Max-Age=(\d+)/.exec(header) ?? [];
      return { name, value, age: Number(age) };
    });
  const withCookies = (headers: readonly string[]) =>
    incoming([
      ["Host", "127.0.0.1:8000"],
      [
        "Cookie",
        read(headers)
          .map(({ name, value }) => `${name}=${value}`)
          .join("; "),
      ],
    ]);
  return { clock, seal, sessions, caller, read, withCookies };
}

it("keep who has signed in and may renew it, in its tenant", () => {
  const { clock, seal, sessions, caller, read, withCookies } = createWorld();
  const headers = sessions.begin(REQUEST, caller(), { provider: PROVIDER, refreshToken: "secret" });
  const [session, renewal] = read(headers);
  expect([session?.age, renewal?.age]).toEqual([60, LONGEST_MS / 1000]);
  const who = { tenantId: "acme", subject: "oidc:ada" };
  expect(openSession(seal, session?.value ?? "")).toEqual({
    ...{ id: "id-1", ...who, userId: "ada", groups: ["staff"], scopes: ["runs:write"] },
    ...{ ...PROVIDER, expiresAtMs: clock.now() + 60_000 },
  });
  const kept = { sessionId: "id-1", issuer: PROVIDER.issuer, token: "secret", ...who };
  const endsAtMs = clock.now() + LONGEST_MS;
  expect(sessions.renewalOf(withCookies(headers))).toEqual({ ...kept, endsAtMs });
  clock.advance(LONGEST_MS);
  expect(sessions.renewalOf(withCookies(headers))).toBeUndefined();
});

it("of a renewed session keep its id and its end, and leave the default tenant out", () => {
  const { clock, seal, sessions, caller, read, withCookies } = createWorld();
  const first = sessions.begin(REQUEST, caller({ tenantId: "default" }), { provider: PROVIDER, refreshToken: "one" });
  const earlier = sessions.renewalOf(withCookies(first)) ?? expect.unreachable();
  expect(earlier).not.toHaveProperty("tenantId");
  clock.advance(60_000);
  const again = sessions.begin(REQUEST, caller({ tenantId: "default" }), {
    ...{ provider: PROVIDER, refreshToken: "two", earlier },
  });
  expect(openSession(seal, read(again)[0]?.value ?? "")).toMatchObject({ id: "id-1" });
  expect(sessions.renewalOf(withCookies(again))).toEqual({ ...earlier, token: "two" });
});

it("of a session that lasts as long as it may are not renewed, nor those of a key", () => {
  const { clock, seal, sessions, caller, read, withCookies } = createWorld();
  const longest = caller({ expiresAtMs: clock.now() + LONGEST_MS });
  const renewable = { provider: PROVIDER, refreshToken: "one" };
  expect(read(sessions.begin(REQUEST, longest, renewable)).map(({ age }) => age)).toEqual([LONGEST_MS / 1000, 0]);
  expect(read(sessions.begin(REQUEST, caller(), { provider: PROVIDER })).map(({ age }) => age)).toEqual([60, 0]);
  const byKey = sessions.begin(REQUEST, caller({ keyId: "key" }));
  // What the key allows is not in the cookie.
  const { groups, scopes, keyId } = openSession(seal, read(byKey)[0]?.value ?? "") ?? expect.unreachable();
  expect([byKey.length, groups, scopes, keyId]).toEqual([1, [], [], "key"]);
  const before = withCookies(sessions.begin(REQUEST, caller(), renewable));
  expect(read(sessions.begin(before, caller({ keyId: "key" }))).map(({ age }) => age)).toEqual([60, 0]);
  expect(read(sessions.end(before)).map(({ value, age }) => [value, age])).toEqual([
    ["", 0],
    ["", 0],
  ]);
  expect(sessions.end(REQUEST)).toHaveLength(1);
});

it("refuse a caller with more groups than a cookie has room for", () => {
  const { sessions, caller } = createWorld();
  const groups = Array.from({ length: 500 }, (_, index) => `group ${index}`);
  expect(() => sessions.begin(REQUEST, caller({ groups }))).toThrow("too many groups");
});
