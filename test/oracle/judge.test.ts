import { describe, expect, it } from "vitest";
import { SECTIONS } from "#test/requirements/sections.ts";
import type { Difference, ListedDifference, NotReached } from "./difference.ts";
import { DIFFERENCES } from "./differences/all-differences.ts";
import { judge } from "./judge.ts";

const MISSING: Difference = {
  scenario: "a01",
  step: "read",
  cls: "missing fields",
  path: "$.json.name",
  expected: "x",
};
const ENTRY: ListedDifference = {
  scenarios: "a01",
  path: /\.name$/,
  reason: "It has none.",
  follows: "session:create",
};
const FAR: NotReached = { scenario: "a01", missing: "names" };

describe("judge", () => {
  it("accepts what an entry explains, and counts it", () => {
    expect(judge([MISSING], [ENTRY], [])).toEqual({
      unlisted: [],
      idle: [],
      reached: [],
      counts: new Map([[ENTRY, 1]]),
    });
  });

  it.each<Partial<ListedDifference>>([
    { scenarios: ["b01", "b02"] },
    { steps: /^write/ },
    { path: /\.title$/ },
    { cls: "extra fields" },
    { expected: /^y/ },
    { actual: /./ },
  ])("reports a difference that an entry misses by %o, and the entry as idle", (change) => {
    const entry = { ...ENTRY, ...change };
    expect(judge([MISSING], [entry], [])).toMatchObject({ unlisted: [MISSING], idle: [entry] });
  });

  it("does not expect the differences of optional entries", () => {
    const listed = [ENTRY, { ...ENTRY, optional: true }];
    expect(judge([], listed, []).idle).toEqual([ENTRY]);
  });

  it("does not compare what is out of reach", () => {
    expect(judge([MISSING], [], [FAR])).toMatchObject({ unlisted: [], reached: [] });
  });

  it("reports what is said to be out of reach but has only listed differences", () => {
    expect(judge([MISSING], [ENTRY], [FAR])).toMatchObject({ reached: [FAR] });
  });

  it("compares the steps of a scenario that are in reach", () => {
    const far = { ...FAR, steps: "write" };
    const write = { ...MISSING, step: "write" };
    expect(judge([MISSING, write], [], [far])).toMatchObject({ unlisted: [MISSING], reached: [] });
  });
});

describe("listed differences", () => {
  const rows = new Set(Object.values(SECTIONS).flatMap((section) => section.map(({ id }) => id)));

  it("follow rows that exist", () => {
    expect(DIFFERENCES.map(({ follows }) => follows).filter((id) => !rows.has(id))).toEqual([]);
  });
});
