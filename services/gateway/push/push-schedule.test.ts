import { expect, it } from "vitest";
import { askedDelay, checkDelay, isGivenUp, retryDelay } from "./push-schedule.ts";

const HOUR_MS = 60 * 60 * 1000;

it("waits three times as long after each failure, at most an hour, and shortens it at random by up to a half", () => {
  const longest = [1, 2, 3, 8, 9, 500].map((failures) => retryDelay(failures, () => 0));
  expect(longest).toEqual([1_000, 3_000, 9_000, 2_187_000, HOUR_MS, HOUR_MS]);
  expect(retryDelay(3, () => 0.5)).toBe(6_750);
  expect(retryDelay(500, () => 1)).toBe(HOUR_MS / 2);
});

it("takes the pause that a receiver asks for in seconds, up to an hour", () => {
  expect(["0", "120", "999999999"].map(askedDelay)).toEqual([0, 120_000, HOUR_MS]);
  expect([null, "", "-1", "soon", "Wed, 21 Oct 2026 07:28:00 GMT"].map(askedDelay)).toEqual(Array(5).fill(undefined));
});

it("gives a receiver up that has failed for a day", () => {
  expect(isGivenUp(0, 24 * HOUR_MS - 1)).toBe(false);
  expect(isGivenUp(0, 24 * HOUR_MS)).toBe(true);
});

it("reads a waiting task seldom if it has waited long", () => {
  expect([0, 60_000, 24 * HOUR_MS].map((nowMs) => checkDelay(0, nowMs))).toEqual([5_000, 15_000, 300_000]);
});
