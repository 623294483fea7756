import { expect, it } from "vitest";
import { faultOutcomes } from "./fault-outcomes.ts";
import type { Mutant } from "./plant-faults.ts";
import { Progress, type ProgressRecord } from "./progress.ts";

const mutant = (id: string, status?: "Ignored"): Mutant => ({
  id,
  fileName: "kit/a.ts",
  mutatorName: "ConditionalExpression",
  replacement: "true",
  location: { start: { line: 1, column: 2 }, end: { line: 1, column: 9 } },
  ...(status === undefined ? {} : { status }),
});

function progressOf(records: readonly ProgressRecord[]): Progress {
  const progress = new Progress();
  for (const record of records) progress.add(record);
  return progress;
}

it("gives a fault the status of the test that noticed it, and otherwise of how the tests reach it", () => {
  const progress = progressOf([
    { kind: "survived", fault: "noticed later", test: "quick" },
    { kind: "noticed", fault: "noticed later", test: "other", how: "Killed" },
    { kind: "started", fault: "hangs", test: "quick" },
    { kind: "noticed", fault: "hangs", test: "quick", how: "Timeout" },
    { kind: "survived", fault: "survives", test: "quick" },
    { kind: "slow", test: "slow", title: "slow", tookMs: 900, faults: ["only in a slow test"] },
    { kind: "static", faults: ["loaded", "survives"] },
  ]);
  const ids = ["noticed later", "hangs", "survives", "only in a slow test", "loaded", "not reached"];
  const outcomes = faultOutcomes([...ids.map((id) => mutant(id)), mutant("left out", "Ignored")], progress);
  expect(outcomes.map(({ status }) => status)).toEqual([
    "Killed",
    "Timeout",
    "Survived",
    "Survived",
    "Ignored",
    "NoCoverage",
    "Ignored",
  ]);
  expect(outcomes[0]?.location).toEqual({ start: { line: 2, column: 3 } });
});
