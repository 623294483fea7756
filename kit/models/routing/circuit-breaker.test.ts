import { expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { CircuitBreakers } from "./circuit-breaker.ts";

it("opens after failures in a row, lets one call through after a while, and closes when that one succeeds", () => {
  const clock = new FixedClock();
  const breaker = new CircuitBreakers({ failures: 2, openMs: 1000, clock }).of(new ScriptedModel([]));
  breaker.begin().settle("failure");
  breaker.begin().settle("success");
  breaker.begin().settle("failure");
  expect(breaker.isClosed).toBe(true);
  breaker.begin().settle("failure");
  expect(breaker.isClosed).toBe(false);
  clock.advance(999);
  expect(breaker.isClosed).toBe(false);
  clock.advance(1);
  expect(breaker.isClosed).toBe(true);
  const trial = breaker.begin();
  expect(breaker.isClosed).toBe(false);
  trial.settle("failure");
  expect(breaker.isClosed).toBe(false);
  clock.advance(1000);
  const second = breaker.begin();
  second.settle("success");
  second.settle("failure");
  expect(breaker.isClosed).toBe(true);
});

it("does not count an outcome that says nothing about the model, which ends a trial", () => {
  const clock = new FixedClock();
  const breaker = new CircuitBreakers({ failures: 1, openMs: 10, clock }).of(new ScriptedModel([]));
  breaker.begin().settle("unknown");
  expect(breaker.isClosed).toBe(true);
  breaker.begin().settle("failure");
  clock.advance(10);
  breaker.begin().settle("unknown");
  expect(breaker.isClosed).toBe(true);
});

it("is one for each model object", () => {
  const breakers = new CircuitBreakers();
  const [one, other] = [new ScriptedModel([]), new ScriptedModel([])];
  expect(breakers.of(one)).toBe(breakers.of(one));
  expect(breakers.of(one)).not.toBe(breakers.of(other));
});

it("refuses wrong options by their names", () => {
  expect(() => new CircuitBreakers({ failures: 0 })).toThrow("new CircuitBreakers: failures must be an integer");
});

it("opens after five failures for thirty seconds, unless its options say otherwise", () => {
  const clock = new FixedClock();
  const breaker = new CircuitBreakers({ clock }).of(new ScriptedModel([]));
  const states = [1, 2, 3, 4, 5].map(() => {
    breaker.begin().settle("failure");
    return breaker.isClosed;
  });
  expect(states).toEqual([true, true, true, true, false]);
  clock.advance(29_999);
  expect(breaker.isClosed).toBe(false);
  clock.advance(1);
  expect(breaker.isClosed).toBe(true);
});
