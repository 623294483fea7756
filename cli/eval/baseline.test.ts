import { expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { significantDrops } from "./baseline.ts";
import type { EvalReport } from "./eval-report.ts";
import { junitXml } from "./junit.ts";
import { passRate } from "./pass-rate.ts";

it("finds drops that are too large to be chance, of cases and of all together", () => {
  verifies("platform:evaluation:baseline");
  const before = report({ a: [10, 10], b: [9, 10], gone: [0, 10] });
  const drops = (passes: Record<string, readonly [number, number]>) =>
    significantDrops(JSON.parse(JSON.stringify(before)), report(passes)).map(({ name }) => name);
  expect(drops({ a: [9, 10], b: [9, 10], added: [0, 10] })).toEqual([]);
  expect(drops({ a: [2, 10], b: [9, 10] })).toEqual(["all cases", "set/a"]);
  expect(drops({ a: [7, 10], b: [6, 10] })).toEqual(["all cases"]);
  expect(drops({ a: [10, 10], b: [10, 10] })).toEqual([]);
  // The probability is 4.3 %: enough for one case, and too much for one of two.
  expect(drops({ a: [6, 10], b: [9, 10] })).toEqual([]);
  expect(drops({ a: [6, 10] })).toEqual(["all cases", "set/a"]);
});

it.each([
  [{}, "baseline.cases is missing"],
  [
    { cases: [{ evalSetId: "set", evalId: "a", passed: 1, runs: 0 }] },
    "baseline.cases[0].runs must be a whole number from 1",
  ],
  [{ cases: [] }, "none of the evaluated cases"],
])("refuses %j as a baseline", (baseline, message) => {
  expect(() => significantDrops(baseline, report({ a: [1, 1] }))).toThrow(message);
});

it("writes XML in which names and reasons are text", () => {
  verifies("platform:evaluation:junit");
  const remarks = ["<b> & \u0000 \ud800"];
  const metrics = [{ metricName: "match", score: 0.5, statuses: { FAILED: 1 }, remarks }];
  const { app, cases, ...rest } = report({ 'a"<': [0, 1], some: [1, 2], fine: [1, 1] });
  const failing = { ...rest, app, cases: cases.map((each) => ({ ...each, metrics })) };
  expect(junitXml(failing)).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="app.set" tests="3" failures="2">
    <testcase classname="app.set" name="a&quot;&lt;">
      <failure message="passed 0 of 1">match: 0.5 (FAILED 1)
  &lt;b&gt; &amp; \ufffd \ufffd</failure>
    </testcase>
    <testcase classname="app.set" name="some">
      <failure message="passed 1 of 2">match: 0.5 (FAILED 1)
  &lt;b&gt; &amp; \ufffd \ufffd</failure>
    </testcase>
    <testcase classname="app.set" name="fine"/>
  </testsuite>
</testsuites>
`);
});

function report(passes: Readonly<Record<string, readonly [passed: number, runs: number]>>): EvalReport {
  const cases = Object.entries(passes).map(([evalId, [passed, runs]]) => {
    return { evalSetId: "set", evalId, ...passRate(passed, runs), metrics: [] };
  });
  return { app: "app", repeat: 1, cases, total: passRate(0, 1), results: [] };
}
