import { expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryIdempotencyStore } from "#ports/idempotency/in-memory-idempotency-store.ts";
import { answerOnce } from "./idempotency.ts";

const LIMIT = 64 * 1024;

it.each([
  ["keeps an answer of exactly the limit", LIMIT, [false]],
  ["does the work again, as a repeat, for an answer over the limit", LIMIT + 1, [false, true]],
])("%s", async (_, length, calls) => {
  const repeats: boolean[] = [];
  const call = { store: new InMemoryIdempotencyStore({ clock: new FixedClock() }), scope: ["s"], key: "k", body: {} };
  const work = async (isRepeat: boolean): Promise<string> => {
    repeats.push(isRepeat);
    return "x".repeat(length);
  };
  await answerOnce(call, work);
  expect((await answerOnce(call, work)).length).toBe(length);
  expect(repeats).toEqual(calls);
});
