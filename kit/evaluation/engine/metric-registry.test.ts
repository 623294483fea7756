import { describe, expect, it } from "vitest";
import { metricNotes } from "#kit/evaluation/metric-note.ts";
import { modelContent, userContent } from "#kit/events/content.ts";
import { verifies } from "#test/helpers/verifies.ts";
import type { EvalMetric } from "../eval-result.ts";
import { createCustomMetric } from "../metrics/custom-metric.ts";
import type { ManagedRequest } from "../metrics/managed-metrics.ts";
import { evaluateCase } from "./evaluate-case.ts";
import { MetricRegistry, type MetricRegistryOptions } from "./metric-registry.ts";

const SAFETY = { metricName: "safety_v1", threshold: 0.5 };

describe("managed metrics", () => {
  it("are not listed without their service, and say so in results", async () => {
    verifies("platform:evaluation:managed");
    expect(new MetricRegistry().infos.map(({ metricName }) => metricName)).not.toContain("safety_v1");
    const [result] = (await evaluate(SAFETY)).overallEvalMetricResults;
    expect(result).toMatchObject({ evalStatus: 3 });
    expect(metricNotes(result ?? {})).toEqual([expect.stringContaining("managed service of Google Cloud")]);
  });

  it("have the scores of their service, for each turn or for the conversation", async () => {
    const requests: ManagedRequest[] = [];
    const managed = { score: async (request: ManagedRequest) => requests.push(request) / 2 };
    expect(new MetricRegistry({ managed }).infos.map(({ metricName }) => metricName)).toContain("safety_v1");
    const safety = await evaluate(SAFETY, { managed });
    expect(safety.overallEvalMetricResults[0]).toMatchObject({ score: 0.75, evalStatus: 1 });
    const success = await evaluate({ metricName: "multi_turn_task_success_v1", threshold: 2 }, { managed });
    const turns = success.evalMetricResultPerInvocation.map(({ evalMetricResults: [first] }) => [
      first?.score,
      first?.evalStatus,
    ]);
    expect(turns).toEqual([
      [undefined, 3],
      [1.5, 2],
    ]);
    expect(requests.map(({ conversation }) => conversation.length)).toEqual([1, 1, 2]);
  });
});

describe("metrics that ask a judge", () => {
  it("are not listed where none can be asked, and say so in results", async () => {
    const names = (options: MetricRegistryOptions) => new MetricRegistry(options).infos.map((info) => info.metricName);
    const judged = names({}).filter((name) => !names({ withoutJudge: true }).includes(name));
    expect(judged).toContain("hallucinations_v1");
    const [result] = (await evaluate({ metricName: "hallucinations_v1", threshold: 0.5 }, { withoutJudge: true }))
      .overallEvalMetricResults;
    expect(result).toMatchObject({ evalStatus: 3 });
    expect(metricNotes(result ?? {})).toContainEqual(expect.stringContaining("asks a judge model, and none is given"));
  });
});

describe("custom metrics", () => {
  it.each([
    ["a number", 0.25, [0.25, 2], [undefined, 3]],
    ["scores of turns", { perInvocationResults: [{ score: 1 }, { score: 0.5 }] }, [0.75, 1], [1, 1]],
    ["a status", { overallScore: 0, overallEvalStatus: 1 as const }, [0, 1], [undefined, 3]],
  ])("are computed by a function that returns %s", async (_title, returned, overall, firstTurn) => {
    verifies("platform:evaluation:custom");
    const custom = [createCustomMetric({ metricName: "polite" }, () => returned)];
    const scores = await evaluate({ metricName: "polite", threshold: 0.5 }, { custom });
    const [result] = scores.overallEvalMetricResults;
    const [turn] = scores.evalMetricResultPerInvocation[0]?.evalMetricResults ?? [];
    expect([
      [result?.score, result?.evalStatus],
      [turn?.score, turn?.evalStatus],
    ]).toEqual([overall, firstTurn]);
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("no such word list");
      },
      "failed in its function: no such word list",
    ],
    ["returns too few results", () => ({ perInvocationResults: [{ score: 1 }] }), "1 results for 2 turns"],
    ["returns no number", () => Number.NaN, "the score NaN"],
  ])("say why they have no score if the function %s", async (_title, compute, reason) => {
    const custom = [createCustomMetric({ metricName: "polite" }, compute)];
    const [result] = (await evaluate({ metricName: "polite", threshold: 0.5 }, { custom })).overallEvalMetricResults;
    expect([result?.evalStatus, metricNotes(result ?? {})]).toEqual([3, [expect.stringContaining(reason)]]);
  });
});

function evaluate(metric: EvalMetric, options: MetricRegistryOptions = {}) {
  const conversation = ["a", "b"].map((text) => ({
    userContent: userContent(text),
    finalResponse: modelContent(text),
  }));
  return evaluateCase({
    evalCase: { evalId: "case", conversation },
    actualInvocations: conversation,
    metrics: [metric],
    registry: new MetricRegistry(options),
    signal: new AbortController().signal,
  });
}

it("the metrics of efficiency are added to those that were asked for, each once", () => {
  const names = (...given: readonly string[]) =>
    new MetricRegistry().complete(given.map((metricName) => ({ metricName }))).map(({ metricName }) => metricName);
  const efficiency = ["tool_call_count_v1", "inference_call_count_v1", "token_usage_v1", "invocation_duration_v1"];
  expect(names()).toEqual(efficiency);
  expect(names("own", "token_usage_v1")).toEqual([
    ...["own", "token_usage_v1", "tool_call_count_v1", "inference_call_count_v1", "invocation_duration_v1"],
  ]);
  expect(names(...efficiency)).toEqual(efficiency);
});
