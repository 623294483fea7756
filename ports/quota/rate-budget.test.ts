import { expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { RateBudget } from "./rate-budget.ts";

it("allows a burst, then a rate, and saves no more than the burst", () => {
  const clock = new FixedClock();
  const budget = new RateBudget({ clock, perSecond: 2, mostSaved: 3 });
  const taken = (): number => {
    let count = 0;
    while (budget.take()) count += 1;
    return count;
  };
  expect(taken()).toBe(3);
  clock.advance(499);
  expect(taken()).toBe(0);
  clock.advance(1);
  expect(taken()).toBe(1);
  // What is left of a token is kept.
  clock.advance(750);
  expect(taken()).toBe(1);
  clock.advance(250);
  expect(taken()).toBe(1);
  clock.advance(60_000);
  expect(taken()).toBe(3);
});
