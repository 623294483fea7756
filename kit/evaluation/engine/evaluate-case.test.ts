import { describe, expect, it } from "vitest";
import { metricNotes } from "#kit/evaluation/metric-note.ts";
import { modelContent, userContent } from "#kit/events/content.ts";
import { verifies } from "#test/helpers/verifies.ts";
import type { EvalMetric } from "../eval-result.ts";
import type { EvalCase, Invocation } from "../eval-set.ts";
import { evaluateCase } from "./evaluate-case.ts";
import { MetricRegistry } from "./metric-registry.ts";

describe("evaluateCase", () => {
  it("has the result of each metric for each turn and for all, with what was asked for", async () => {
    verifies("server-objects:run-eval-result:eval-metric-results", "server-objects:run-eval-result:final-eval-status");
    const metric = { metricName: "response_match_score", threshold: 0.5 };
    const scores = await evaluate([metric], [turn("Hello there"), turn("No")], [turn("hello"), turn("Yes")]);
    expect(scores.finalEvalStatus).toBe(2);
    expect(scores.overallEvalMetricResults[0]).toEqual({ ...metric, score: 1 / 3, evalStatus: 2, details: {} });
    expect(
      scores.evalMetricResultPerInvocation.map(({ evalMetricResults: [first], ...turns }) => ({ first, turns })),
    ).toEqual([
      {
        first: { ...metric, score: 2 / 3, evalStatus: 1, details: {} },
        turns: { actualInvocation: turn("Hello there"), expectedInvocation: turn("hello") },
      },
      {
        first: { ...metric, score: 0, evalStatus: 2, details: {} },
        turns: { actualInvocation: turn("No"), expectedInvocation: turn("Yes") },
      },
    ]);
  });

  it.each([
    ["passes if a metric passed and none failed", [0, 0.5], 1],
    ["fails if a metric failed", [0, 1], 2],
  ])("%s", async (_title, thresholds, status) => {
    const metrics = thresholds.map((threshold) => ({ metricName: "response_match_score", threshold }));
    const scores = await evaluate(metrics, [turn("a b")], [turn("a")]);
    expect(scores.finalEvalStatus).toBe(status);
  });

  it.each<[string, EvalMetric, EvalCase["conversation"], string]>([
    [
      "is not known",
      { metricName: "response_match_scor", threshold: 1 },
      [turn("a")],
      'did you mean "response_match_score"?',
    ],
    [
      "has no threshold",
      { metricName: "response_match_score" },
      [turn("a")],
      "response_match_score.threshold is missing",
    ],
    ["has a wrong criterion", trajectory({ matchType: "SOMEHOW" }), [turn("a")], "EXACT, IN_ORDER or ANY_ORDER"],
    [
      "has fewer turns than were expected",
      trajectory({}),
      [turn("a"), turn("b")],
      "2 expected turns and the agent made 1",
    ],
    ["has no reference", trajectory({}), undefined, "a case with a conversationScenario has none"],
    ["never fails and has a threshold", { metricName: "token_usage_v1", threshold: 1 }, [turn("a")], "remove it"],
  ])(
    "says why a metric that %s was not evaluated, and evaluates the others",
    async (_title, metric, expected, reason) => {
      verifies("platform:evaluation:reasons");
      const { overallEvalMetricResults, finalEvalStatus } = await evaluate([metric], [turn("a")], expected);
      const [broken] = overallEvalMetricResults;
      expect(broken).toMatchObject({ metricName: metric.metricName, evalStatus: 3 });
      expect(metricNotes(broken ?? {})).toEqual([expect.stringContaining(reason)]);
      expect(finalEvalStatus).toBe(3);
      if (expected?.length !== 2)
        expect(overallEvalMetricResults.find(({ metricName }) => metricName === "tool_call_count_v1")).toMatchObject({
          score: 0,
          evalStatus: 4,
        });
    },
  );

  it("reports the metrics of efficiency without being asked", async () => {
    const { overallEvalMetricResults } = await evaluate([], [turn("a")], [turn("a")]);
    expect(overallEvalMetricResults.map(({ metricName, evalStatus }) => [metricName, evalStatus])).toEqual([
      ["tool_call_count_v1", 4],
      ["inference_call_count_v1", 4],
      ["token_usage_v1", 4],
      ["invocation_duration_v1", 4],
    ]);
  });

  it("throws if it is aborted", async () => {
    const request = {
      evalCase: { evalId: "case", conversation: [] },
      actualInvocations: [],
      metrics: [],
      registry: new MetricRegistry(),
      signal: AbortSignal.abort(new Error("stopped")),
    };
    await expect(evaluateCase(request)).rejects.toThrow("stopped");
  });
});

function evaluate(metrics: readonly EvalMetric[], actual: readonly Invocation[], expected: EvalCase["conversation"]) {
  const goal = { conversationScenario: { startingPrompt: "a", conversationPlan: "b" } };
  return evaluateCase({
    evalCase: { evalId: "case", ...(expected === undefined ? goal : { conversation: expected }) },
    actualInvocations: actual,
    metrics,
    registry: new MetricRegistry(),
    signal: new AbortController().signal,
  });
}

function trajectory(criterion: Record<string, string>): EvalMetric {
  return { metricName: "tool_trajectory_avg_score", criterion: { threshold: 1, ...criterion } };
}

function turn(text: string): Invocation {
  return { userContent: userContent("question"), finalResponse: modelContent(text) };
}
