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

  it("are compared for turns without an answer, too", async () => {
    const detail = { precision: 0, recall: 0, fmeasure: 0, actualTokens: [], expectedTokens: ["yes"] };
    const none = { overall: 0, status: 2, perInvocation: [{ score: 0, status: 2 }] };
    // A judge without a recorded answer fails.
    const unjudged = { overall: null, status: 3, perInvocation: [{ score: null, status: 3 }] };
    const judged = { ...unjudged, id: "no answer", metric: "final_response_match_v2", criterion: {}, answers: {} };
    const turns = { actual: [["go", null]], expected: [["go", null]] } as const;
    const recorded = {
      response_match_score: [{ ...none, id: "no answer", actual: [null], expected: [["yes"]], detail: [detail] }],
      judged: [{ ...judged, ...turns }],
    };
    const { total, differences } = await compareScores(recorded);
    expect({ total, differences }).toEqual({ total: 2, differences: [] });
  });
});
