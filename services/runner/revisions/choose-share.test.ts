import { expect, it } from "vitest";
import { chooseShare } from "./choose-share.ts";

const SESSIONS = Array.from({ length: 10_000 }, (_, index) => `session ${index}`);

function sharesOf(weights: readonly number[]) {
  return weights.map((weight, index) => ({ agentRevision: `v${index}`, weight, isRetired: false }));
}

function countsOf(weights: readonly number[]): readonly number[] {
  const chosen = SESSIONS.map((id) => chooseShare(sharesOf(weights), id)?.agentRevision);
  return weights.map((_, index) => chosen.filter((name) => name === `v${index}`).length);
}

it("gives each version about its weight of the sessions, and the same one each time", () => {
  for (const weights of [[1], [50, 50], [10, 90], [1, 0, 3], [333, 333, 334]]) {
    const sum = weights.reduce((total, weight) => total + weight, 0);
    const counts = countsOf(weights);
    expect(countsOf(weights)).toEqual(counts);
    for (const [index, weight] of weights.entries()) {
      const expected = (SESSIONS.length * weight) / sum;
      expect(Math.abs((counts[index] ?? 0) - expected)).toBeLessThanOrEqual(5 * Math.sqrt(expected));
    }
  }
});

it("takes no session from a new version whose weight is raised", () => {
  const before = SESSIONS.filter((id) => chooseShare(sharesOf([10, 90]), id)?.agentRevision === "v0");
  const after = new Set(SESSIONS.filter((id) => chooseShare(sharesOf([50, 50]), id)?.agentRevision === "v0"));
  expect(before.filter((id) => !after.has(id))).toEqual([]);
});

it("chooses nothing without weights", () => {
  expect(chooseShare([], "a")).toBeUndefined();
  expect(chooseShare(sharesOf([0, 0]), "a")).toBeUndefined();
});
