import { expect, it } from "vitest";
import { UuidV7Generator } from "#kit/platform/id-generator.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { incoming } from "#test/helpers/identity/incoming.ts";
import { ApiKeyAuthenticator } from "./api-key-authenticator.ts";
import { createKey } from "./create-key.ts";
import { toKnownKey } from "./known-key.ts";

const LIFE_SECONDS = 60;

/** One key, what its store is asked for, and when it was used. */
function createWorld() {
  const clock = new FixedClock();
  const ids = new UuidV7Generator(() => clock.now());
  const { record, text } = createKey({ name: "ci", scopes: [], expiresInSeconds: LIFE_SECONDS }, { clock, ids });
  const asked: (readonly [string, string | undefined])[] = [];
  const used: (readonly [string, number])[] = [];
  const authenticator = new ApiKeyAuthenticator({
    clock,
    keys: {
      find: (id, address) => {
        asked.push([id, address]);
        return id === record.id ? toKnownKey(record) : undefined;
      },
    },
    uses: { add: (id, now) => void used.push([id, now]) },
  });
  return { clock, record, text, asked, used, authenticator };
}

it("looks a key up on behalf of the client's address, and notes its use", () => {
  const { clock, record, text, asked, used, authenticator } = createWorld();
  const caller = authenticator.authenticate(incoming([["X-API-Key", text]], "10.1.2.3"));
  expect(caller).toMatchObject({ keyId: record.id });
  expect([asked, used]).toEqual([[[record.id, "10.1.2.3"]], [[record.id, clock.now()]]]);
});

it("accepts a key until it expires, and notes no use of one that it refuses", async () => {
  const { clock, record, text, asked, used, authenticator } = createWorld();
  clock.advance(LIFE_SECONDS * 1000 - 1);
  expect(await authenticator.callerOfId(record.id)).toMatchObject({ keyId: record.id });
  expect(asked).toEqual([[record.id, "own"]]);
  clock.advance(1);
  await expect(authenticator.callerOfId(record.id)).rejects.toThrow("The API key has expired");
  expect(() => authenticator.callerOf(text, undefined)).toThrow("The API key has expired");
  expect([used.length, await authenticator.callerOfId("another")]).toEqual([1, undefined]);
});

it("takes the key of either header, and refuses two that differ", () => {
  const { text, authenticator } = createWorld();
  const both = (token: string) =>
    incoming([
      ["X-API-Key", text],
      ["Authorization", `Bearer ${token}`],
    ]);
  expect(authenticator.authenticate(incoming([]))).toBeUndefined();
  expect(authenticator.authenticate(incoming([["Authorization", "Bearer eyJ.other.token"]]))).toBeUndefined();
  for (const request of [both(text), both("eyJ.other.token"), incoming([["Authorization", `Bearer ${text}`]])])
    expect(authenticator.authenticate(request)).toMatchObject({ source: "api-key" });
  expect(() => authenticator.authenticate(both(`${text}x`))).toThrow("different API keys");
});
