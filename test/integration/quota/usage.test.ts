import { expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Authenticator } from "#services/gateway/identity/authenticator.ts";
import { EVERYBODY } from "#services/gateway/identity/caller.ts";
import { SCOPES, type Scope } from "#services/gateway/identity/scopes.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";
import { quotasOf } from "#test/helpers/worlds/quotas-of.ts";

const OWN = new Set<Scope>(SCOPES.filter((scope) => scope !== "users:all"));

const CALLERS: readonly Authenticator[] = [
  {
    authenticate: ({ headers: { authorization } }) => {
      if (authorization === "operator") return { ...EVERYBODY, source: "oidc", subject: "operator" };
      if (authorization === "of-echo")
        return { ...EVERYBODY, source: "api-key", subject: "of-echo", keyId: "key-of-echo", apps: ["echo"] };
      const caller = { ...EVERYBODY, source: "api-key", subject: "user", scopes: OWN } as const;
      const userId = authorization === "probe" ? undefined : authorization;
      return { ...caller, userId, keyId: `key-of-${authorization}` };
    },
  },
];

const RULES = `
defaults:
  key: { requestsPerMinute: 50 }
  user: { requestsPerMinute: 20, usdPerDay: 1.5 }
  app: { tokensPerMonth: 1000 }
  tenant: { openStreams: 7 }
`;

async function start() {
  const world = await startGateway({ deps: { authenticators: CALLERS, quotas: quotasOf(RULES) } });
  const read = async (authorization: string, query = "") => {
    const answer = await world.gateway.inject({ url: `/v1/usage${query}`, headers: { authorization } });
    const { usage = [] } = answer.json();
    const lines = usage.map(
      ({ scope, name, limit, used, max }: Readonly<Record<string, unknown>>) =>
        `${scope} ${name} ${limit} ${used}/${max}`,
    );
    return { status: answer.statusCode, lines };
  };
  return { world, read };
}

it("shows a caller the quotas of its key and user, and no total of others", async () => {
  verifies("quotas:usage");
  const { world, read } = await start();
  await using _ = world;
  const own = ["key key-of-ada requestsPerMinute 1/50", "user ada requestsPerMinute 1/20", "user ada usdPerDay 0/1.5"];
  expect(await read("ada")).toEqual({ status: 200, lines: own });
  const again = own.map((line) => line.replace(" 1/", " 2/"));
  expect(await read("ada", "?appName=echo&keyId=key-of-bob&userId=ada")).toEqual({ status: 200, lines: again });
});

it("shows a key of no user its own quotas", async () => {
  const { world, read } = await start();
  await using _ = world;
  expect(await read("probe")).toEqual({ status: 200, lines: ["key key-of-probe requestsPerMinute 1/50"] });
  expect((await read("probe", "?userId=ada")).status).toBe(403);
});

it("refuses the quotas of another user, whether there is one or not", async () => {
  const { world, read } = await start();
  await using _ = world;
  for (const query of ["?userId=bob", "?userId=nobody", "?user_id=bob"])
    expect((await read("ada", query)).status).toBe(403);
});

it("shows callers who reach all users any key, user and app, and their tenant", async () => {
  const { world, read } = await start();
  await using _ = world;
  await read("ada");
  expect((await read("operator")).lines).toEqual(["tenant undefined openStreams 0/7"]);
  expect((await read("operator", "?userId=ada&keyId=key-of-ada&appName=echo")).lines).toEqual([
    "key key-of-ada requestsPerMinute 1/50",
    "user ada requestsPerMinute 1/20",
    "user ada usdPerDay 0/1.5",
    "app echo tokensPerMonth 0/1000",
    "tenant undefined openStreams 0/7",
  ]);
});

it("shows callers of some apps no use of other apps, also if they reach all users", async () => {
  verifies("quotas:usage");
  const { world, read } = await start();
  await using _ = world;
  await read("ada");
  const own = (used: number) => `key key-of-echo requestsPerMinute ${used}/50`;
  expect((await read("of-echo")).lines).toEqual([own(1)]);
  expect((await read("of-echo", "?userId=ada&keyId=key-of-ada")).lines).toEqual([own(2)]);
  const withApp = [own(3), "app echo tokensPerMonth 0/1000"];
  expect((await read("of-echo", "?userId=ada&appName=echo")).lines).toEqual(withApp);
  expect((await read("of-echo", "?appName=other")).lines).not.toContain("app other tokensPerMonth 0/1000");
});

it("answers 503 while the counts cannot be read, and nothing without quotas", async () => {
  const fail = async () => {
    throw new PlatformError("STORE_UNAVAILABLE", "lost");
  };
  const ledger = { spend: fail, reserve: fail, read: fail, settle: () => {} };
  await using world = await startGateway({ deps: { quotas: quotasOf(RULES, { ledger }) } });
  expect((await world.gateway.inject("/v1/usage")).statusCode).toBe(503);
  await using without = await startGateway();
  expect((await without.gateway.inject("/v1/usage")).json()).toEqual({ usage: [] });
});
