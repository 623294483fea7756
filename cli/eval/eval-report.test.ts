import { expect, it } from "vitest";
import { createEvalSetResult } from "#kit/evaluation/eval-result.ts";
import { caseResult } from "#test/contract/evaluations/eval-job-world.ts";
import { createReport } from "./eval-report.ts";

it("has each case of each set once, with the share of its runs that passed", () => {
  const runOf = (evalSetId: string, statuses: readonly (1 | 2 | 3)[]) =>
    createEvalSetResult("app", {
      evalSetId,
      evalCaseResults: ["a", "b"].map((evalId, index) =>
        caseResult(evalId, { evalSetId, finalEvalStatus: statuses[index] ?? 3 }),
      ),
      creationTimestamp: 1,
    });
  const report = createReport("app", 2, [
    runOf("smoke", [1, 2]),
    runOf("smoke", [1, 3]),
    runOf("full", [2, 1]),
    runOf("full", [1, 1]),
  ]);
  expect(report.cases.map(({ evalSetId, evalId, passed, runs }) => [evalSetId, evalId, passed, runs])).toEqual([
    ["smoke", "a", 2, 2],
    ["smoke", "b", 0, 2],
    ["full", "a", 1, 2],
    ["full", "b", 2, 2],
  ]);
  expect(report.total).toMatchObject({ passed: 5, runs: 8 });
});
