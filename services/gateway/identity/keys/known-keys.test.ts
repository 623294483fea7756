import { expect, it } from "vitest";
import { silentLogger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import type { KeyRecord } from "#ports/api-keys/key-store.ts";
import { KnownKeys, OWN_ID } from "./known-keys.ts";

const RECORD: KeyRecord = { id: "k", name: "key", digest: "00", scopes: [], createdAtMs: 0 };
const ADDRESS = "192.0.2.1";

/** Keys of a store whose reads the test answers, in their order. */
function createKeys() {
  const clock = new FixedClock();
  const reads: { readonly id: string; readonly answer: PromiseWithResolvers<KeyRecord | undefined> }[] = [];
  const store = {
    get: (id: string) => {
      const answer = Promise.withResolvers<KeyRecord | undefined>();
      reads.push({ id, answer });
      return answer.promise;
    },
  };
  const keys = new KnownKeys({ store, clock, logger: silentLogger });
  const answer = async (record: KeyRecord | undefined, read = reads.length - 1): Promise<void> => {
    reads[read]?.answer.resolve(record);
    await reads[read]?.answer.promise;
  };
  const learn = async (record: KeyRecord | undefined, id = "k") => {
    const found = keys.find(id, ADDRESS);
    await answer(record);
    return found;
  };
  return { keys, clock, reads, answer, learn };
}

it("reads a key once, again in the background after 30 seconds, and before it is used after 60", async () => {
  const { keys, clock, reads, answer, learn } = createKeys();
  const known = await learn(RECORD);
  expect(known?.caller.keyId).toBe("k");
  clock.advance(29_999);
  expect(keys.find("k", ADDRESS)).toBe(known);
  expect(reads).toHaveLength(1);
  clock.advance(1);
  for (let use = 0; use < 3; use += 1) expect(keys.find("k", ADDRESS)).toBe(known);
  expect(reads).toHaveLength(2);
  await answer(RECORD);
  clock.advance(60_000);
  const waiting = keys.find("k", ADDRESS);
  expect(waiting).toBeInstanceOf(Promise);
  expect(keys.find("k", ADDRESS)).toBe(waiting);
  await answer({ ...RECORD, revokedAtMs: 1 });
  expect(await waiting).toMatchObject({ isRevoked: true });
});

it("reads a forgotten key again, and remembers no read that began before", async () => {
  const { keys, reads, answer, learn } = createKeys();
  await learn(RECORD);
  keys.forget("k");
  const early = keys.find("k", ADDRESS);
  // The key is revoked while it is read.
  keys.forget("k");
  await answer(RECORD, 1);
  expect(await early).toMatchObject({ isRevoked: false });
  const late = keys.find("k", ADDRESS);
  expect(late).toBeInstanceOf(Promise);
  await answer({ ...RECORD, revokedAtMs: 1 }, 2);
  expect(await late).toMatchObject({ isRevoked: true });
  expect([keys.find("k", ADDRESS), reads.length]).toEqual([expect.objectContaining({ isRevoked: true }), 3]);
});

it("remembers for a minute that there is no key, and each state of a key in place of the one before", async () => {
  const { keys, clock, reads, answer, learn } = createKeys();
  expect(await learn(undefined)).toBeUndefined();
  clock.advance(59_999);
  expect([keys.find("k", ADDRESS), reads.length]).toEqual([undefined, 1]);
  clock.advance(1);
  expect(await learn(RECORD)).toBeDefined();
  clock.advance(60_000);
  expect(await learn(undefined)).toBeUndefined();
  expect(keys.find("k", ADDRESS)).toBeUndefined();
  expect(reads).toHaveLength(3);
  await answer(undefined);
});

it("reports a store that fails, and reads again for the next request", async () => {
  const { keys, reads, learn } = createKeys();
  const failing = keys.find("k", ADDRESS);
  reads[0]?.answer.reject(new Error("down"));
  await expect(failing).rejects.toMatchObject({ reason: "IDENTITY_UNAVAILABLE" });
  expect(await learn(RECORD)).toBeDefined();
});

it("limits the reads of unknown ids of a client, but not of ids that it sealed itself, nor of keys it had", async () => {
  const { keys, clock, reads, learn } = createKeys();
  await learn(RECORD);
  clock.advance(60_000);
  const refused = (id: string): boolean => {
    try {
      void keys.find(id, ADDRESS);
      return false;
    } catch (error) {
      expect(error).toMatchObject({ reason: "IDENTITY_UNAVAILABLE" });
      return true;
    }
  };
  const before = reads.length;
  const outcomes = Array.from({ length: 200 }, (_, index) => refused(`random-${index}`));
  expect(reads.length - before).toBe(100);
  expect(outcomes.filter(Boolean)).toHaveLength(100);
  expect(refused("k")).toBe(false);
  expect(keys.find("sealed", OWN_ID)).toBeInstanceOf(Promise);
  expect(keys.find("other", "192.0.2.2")).toBeInstanceOf(Promise);
});
