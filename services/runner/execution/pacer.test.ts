import { expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { Pacer } from "./pacer.ts";

it("yields after 5 ms of one turn of the event loop, and counts no time in which the run waited", () => {
  const clock = new FixedClock();
  const pacer = new Pacer(clock);
  const yields = (hasTurned: boolean): boolean => pacer.step(1, hasTurned) !== undefined;
  clock.advance(20);
  const first = yields(true);
  clock.advance(20);
  const afterWaiting = yields(true);
  clock.advance(4);
  const soon = yields(false);
  clock.advance(1);
  const late = yields(false);
  expect({ first, afterWaiting, soon, late }).toEqual({ first: false, afterWaiting: false, soon: false, late: true });
});

it("yields after 64 events of one turn of the event loop", () => {
  const pacer = new Pacer(new FixedClock());
  const yielded = [true, false, false].map((hasTurned) => pacer.step(32, hasTurned) !== undefined);
  expect([...yielded, pacer.step(63, true) !== undefined]).toEqual([false, true, true, false]);
});
