import { expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { RETRY_SECONDS, retryDelay } from "./delivery-times.ts";

const DAY_MS = 86_400_000;

it("tries a message again after 5 seconds to 24 hours, and gives it up after ten attempts", () => {
  verifies("webhooks:retries");
  const pauses = RETRY_SECONDS.map((_, index) => retryDelay({ attempts: index + 1, ageMs: 0 }, () => 0));
  expect(pauses).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400].map((s) => s * 1000));
  expect(retryDelay({ attempts: 10, ageMs: 0 })).toBe(undefined);
  expect(retryDelay({ attempts: 1, ageMs: 0 }, () => 1)).toBe(6_000);
});

it("gives up what is older than all pauses together, however rarely it was tried", () => {
  verifies("webhooks:retries");
  expect(retryDelay({ attempts: 1, ageMs: 3 * DAY_MS }, () => 0)).toBe(5_000);
  expect(retryDelay({ attempts: 1, ageMs: 4 * DAY_MS })).toBe(undefined);
});

it("waits as long as the receiver asks, up to a day", () => {
  expect(retryDelay({ attempts: 1, ageMs: 0, askedMs: 60_000 })).toBe(60_000);
  expect(retryDelay({ attempts: 1, ageMs: 0, askedMs: 9 * DAY_MS })).toBe(DAY_MS);
});
