import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { evaluateCase } from "#kit/evaluation/engine/evaluate-case.ts";
import { MetricRegistry } from "#kit/evaluation/engine/metric-registry.ts";
import { parseEvalSetResult } from "#kit/evaluation/eval-json.ts";
import type { EvalCaseResult, EvalMetric } from "#kit/evaluation/eval-result.ts";
import { verifies } from "#test/helpers/verifies.ts";

/**
 * Written by `adk eval` of ADK for Python 2.13 from `agents/weather/cities.evalset.json` and a set with a simulated user, with
 * metrics of every kind and scripted models.
 */
const FILE = new URL("../../fixtures/evaluation/adk-python.evalset_result.json", import.meta.url);

async function readResult() {
  return parseEvalSetResult(JSON.parse(await readFile(FILE, "utf8")));
}

function scoresOf({ overallEvalMetricResults }: Pick<EvalCaseResult, "overallEvalMetricResults">) {
  return overallEvalMetricResults
    .filter(({ metricName }) => /^(tool_trajectory|final_response|tool_call)/.test(metricName))
    .map(({ metricName, score, evalStatus }) => ({ metricName, score, evalStatus }));
}

describe("a result file of ADK for Python", () => {
  it("is read with its statuses, metrics and conversations", async () => {
    verifies("states:evaluation-status", "platform:evaluation:formats");
    const { evalSetId, evalCaseResults } = await readResult();
    const shown = evalCaseResults.map((result) => ({
      evalId: result.evalId,
      finalEvalStatus: result.finalEvalStatus,
      statuses: result.overallEvalMetricResults.map(({ evalStatus }) => evalStatus),
      turns: result.evalMetricResultPerInvocation.map(({ actualInvocation: { userContent, finalResponse } }) => [
        userContent.parts?.[0]?.text,
        finalResponse?.parts?.[0]?.text,
      ]),
    }));
    const rome = ["What is the weather in Rome?", "It is sunny in Rome, at 6 °C."];
    const oslo = ["What is the weather in Oslo?", "It is sunny in Oslo, at 6 °C."];
    expect([evalSetId, shown]).toEqual([
      "cities",
      [
        { evalId: "one_city", finalEvalStatus: 1, statuses: [1, 1, 1, 1, 4, 4, 4, 4], turns: [rome] },
        { evalId: "p", finalEvalStatus: 1, statuses: [3, 3, 1, 1, 4, 4, 4, 4], turns: [rome, oslo] },
      ],
    ]);
  });

  it("has the scores that its turns have here", async () => {
    verifies("platform:evaluation:formats");
    for (const result of (await readResult()).evalCaseResults) {
      const turns = result.evalMetricResultPerInvocation;
      const expected = turns.flatMap(({ expectedInvocation }) => expectedInvocation ?? []);
      const metrics: readonly EvalMetric[] = result.overallEvalMetricResults
        .slice(0, 2)
        .map(({ metricName, threshold, criterion }) => ({
          metricName,
          ...(threshold !== undefined && { threshold }),
          ...(criterion !== undefined && { criterion }),
        }));
      const scores = await evaluateCase({
        evalCase: { evalId: result.evalId, ...(expected.length > 0 && { conversation: expected }) },
        actualInvocations: turns.map(({ actualInvocation }) => actualInvocation),
        metrics,
        registry: new MetricRegistry(),
        judges: async () => '{"is_the_agent_response_valid": "valid"}',
        signal: new AbortController().signal,
      });
      expect(scoresOf(scores)).toEqual(scoresOf(result));
    }
  });
});
