import { expect, it } from "vitest";
import { parseRunEvalRequest } from "./run-eval-request.ts";

const named = (count: number) => Array.from({ length: count }, (_, index) => `metric ${index}`);

it("reads the cases under both names, each once, and all cases and default metrics if there is nothing", () => {
  expect(parseRunEvalRequest({ evalIds: ["a", "b", "a"], evalCaseIds: ["b", "c"] }).evalIds).toEqual(["a", "b", "c"]);
  expect(parseRunEvalRequest(undefined)).toEqual({
    evalIds: [],
    evalMetrics: [
      { metricName: "tool_trajectory_avg_score", threshold: 1 },
      { metricName: "response_match_score", threshold: 0.8 },
    ].map((metric) => expect.objectContaining(metric)),
  });
});

it("takes metrics as objects or by name, whose thresholds are those of the defaults", () => {
  const { evalMetrics } = parseRunEvalRequest({
    evalMetrics: [{ metricName: "own", threshold: 0.3 }, "response_match_score", "other"],
  });
  expect(evalMetrics).toEqual([
    { metricName: "own", threshold: 0.3 },
    expect.objectContaining({ metricName: "response_match_score", threshold: 0.8 }),
    { metricName: "other" },
  ]);
  expect(parseRunEvalRequest({ evalMetrics: named(100) }).evalMetrics).toHaveLength(100);
});

it.each([
  [{ evalMetrics: named(101) }, "evalMetrics"],
  [{ evalMetrics: ["a", { metricName: "a" }] }, "body.evalMetrics[1].metricName"],
  [{ evalMetrics: [""] }, "body.evalMetrics[0]"],
  [{ evalMetrics: [{ threshold: 1 }] }, "body.evalMetrics[0]"],
  [{ evalIds: [""] }, "body.evalIds"],
  [{ userSimulatorConfig: 5 }, "userSimulatorConfig"],
])("refuses %j, and names the field", (body, field) => {
  expect(() => parseRunEvalRequest(body)).toThrow(
    expect.objectContaining({ reason: "INVALID_FIELD", message: expect.stringContaining(field) }),
  );
});
