import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { compareScores } from "#test/oracle/recorded-scores.ts";

describe("metrics", () => {
  it("give the scores and statuses that google-adk gives", async () => {
    verifies("platform:evaluation:deterministic", "platform:evaluation:judged");
    const path = new URL("../../../test/fixtures/evaluation/scores.json", import.meta.url);
    expect(await compareScores(JSON.parse(readFileSync(path, "utf8")))).toEqual({
      total: 236,
      equal: 236,
      differences: [],
    });
  });

  it("differ from a recording that is wrong", async () => {
    const call = { name: "find", args: {} };
    const one = { overall: 0, status: 2, perInvocation: [{ score: 0, status: 2 }] };
    const recorded = {
      tool_trajectory_avg_score: [{ id: "same", actual: [[call]], expected: [[call]], scores: { EXACT: one } }],
      another_metric: [],
    };
    expect(await compareScores(recorded)).toMatchObject({ total: 2, equal: 0 });
  });
});
