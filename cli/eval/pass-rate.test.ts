import { expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { dropProbability, passRate } from "./pass-rate.ts";

it.each([
  [3, 3, 0.438503, 1],
  [0, 3, 0, 0.561497],
  [8, 10, 0.490162, 0.943318],
  [90, 100, 0.825634, 0.944771],
])("the rate of %d passes in %d runs is from %d to %d", (passed, runs, low, high) => {
  verifies("platform:evaluation:repeat");
  const { rate, interval } = passRate(passed, runs);
  expect([rate, ...interval.map((bound) => Number(bound.toFixed(6)))]).toEqual([passed / runs, low, high]);
});

it.each([
  [[5, 5], [0, 5], 1 / 252],
  [[1, 1], [0, 1], 0.5],
  [[9, 10], [9, 10], 0.763158],
  [[3, 10], [10, 10], 1],
  [[950, 1000], [900, 1000], 0.000014],
])(
  "a change from %j to %j happens by chance with the probability %d",
  ([passed = 0, runs = 0], [now = 0, all = 0], probability) => {
    expect(dropProbability({ passed, runs }, { passed: now, runs: all })).toBeCloseTo(probability, 6);
  },
);
