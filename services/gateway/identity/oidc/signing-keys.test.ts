import { setImmediate } from "node:timers/promises";
import { createLocalJWKSet, errors, exportJWK, generateKeyPair, type JSONWebKeySet } from "jose";
import { expect, it } from "vitest";
import { silentLogger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SigningKeys } from "./signing-keys.ts";

const MINUTE_MS = 60_000;
const COOL_DOWN_MS = 10_000;
const TOKEN = { payload: "", signature: "" };

const { publicKey } = await generateKeyPair("ES256");
const jwk = await exportJWK(publicKey);
const keySet = (...names: readonly string[]): JSONWebKeySet => ({
  keys: names.map((kid) => ({ ...jwk, kid, alg: "ES256" })),
});

/** An issuer whose keys change and that can be unavailable. */
function createWorld() {
  const clock = new FixedClock();
  const issuer = { keys: keySet("old"), isDown: false, requests: 0 };
  const keys = new SigningKeys({
    issuer: "https://issuer.example",
    fetchKeys: async () => {
      issuer.requests += 1;
      if (issuer.isDown) throw new Error("down");
      return issuer.keys;
    },
    jose: { createLocalJWKSet, errors },
    clock,
    logger: silentLogger,
  });
  const find = async (kid: string): Promise<string> => {
    try {
      await keys.keyFor({ alg: "ES256", kid }, TOKEN);
      return "found";
    } catch (error) {
      return error instanceof errors.JWKSNoMatchingKey ? "unknown" : String((error as { reason?: string }).reason);
    }
  };
  return { clock, issuer, keys, find };
}

it("are fetched once for tokens at the same time, and again in the background after five minutes", async () => {
  const { clock, issuer, find, keys } = createWorld();
  expect(await Promise.all([find("old"), find("old")])).toEqual(["found", "found"]);
  expect(keys.endsAt).toBe(clock.monotonic() + 10 * MINUTE_MS);
  clock.advance(5 * MINUTE_MS - 1);
  await find("old");
  expect(issuer.requests).toBe(1);
  clock.advance(1);
  issuer.isDown = true;
  for (let token = 0; token < 3; token += 1) {
    expect(await find("old")).toBe("found");
    await setImmediate();
  }
  // A request that has failed is not repeated for ten seconds.
  expect(issuer.requests).toBe(2);
  clock.advance(COOL_DOWN_MS);
  await find("old");
  await setImmediate();
  expect(issuer.requests).toBe(3);
});

it("are not used after ten minutes, and come back with the issuer", async () => {
  const { clock, issuer, find } = createWorld();
  await find("old");
  issuer.isDown = true;
  clock.advance(10 * MINUTE_MS - 1);
  expect(await find("old")).toBe("found");
  await setImmediate();
  clock.advance(1);
  expect(await find("old")).toBe("IDENTITY_UNAVAILABLE");
  issuer.isDown = false;
  expect(await find("old")).toBe("IDENTITY_UNAVAILABLE");
  clock.advance(COOL_DOWN_MS);
  expect(await find("old")).toBe("found");
});

it("that are unknown are looked for at the issuer once in ten seconds", async () => {
  const { clock, issuer, find } = createWorld();
  await find("old");
  issuer.keys = keySet("old", "new");
  expect([await find("new"), issuer.requests]).toEqual(["unknown", 1]);
  clock.advance(COOL_DOWN_MS);
  expect([await find("new"), await find("old"), issuer.requests]).toEqual(["found", "found", 2]);
  expect([await find("forged"), issuer.requests]).toEqual(["unknown", 2]);
});
