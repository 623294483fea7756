import { expect, it } from "vitest";
import { MAX_EVENT_BYTES_PER_COMMIT, splitBySize } from "./session-commits.ts";

const sizes = (items: readonly number[]) => splitBySize(items, (bytes) => bytes).map((part) => part.length);

it("keeps small events together, up to the store's number of writes", () => {
  expect([sizes([]), sizes([1, 2, 3]), sizes(Array.from({ length: 1000 }, () => 1))]).toEqual([
    [],
    [3],
    [490, 490, 20],
  ]);
});

it("starts a new part where the bytes of one commit are used up, and never an empty one", () => {
  const third = MAX_EVENT_BYTES_PER_COMMIT / 3;
  expect([sizes([third, third, third]), sizes([MAX_EVENT_BYTES_PER_COMMIT, 1]), sizes([1, third * 2, third])]).toEqual([
    [2, 1],
    [1, 1],
    [2, 1],
  ]);
});
