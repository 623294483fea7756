import { describe, expect, it } from "vitest";
import type { Invocation, InvocationEvent } from "#kit/evaluation/eval-set.ts";
import { userContent } from "#kit/events/content.ts";
import { verifies } from "#test/helpers/verifies.ts";
import type { Metric } from "../metric.ts";
import { INFERENCE_CALL_COUNT, TOOL_CALL_COUNT } from "./call-counts.ts";
import { INVOCATION_DURATION } from "./invocation-duration.ts";
import { TOKEN_USAGE } from "./token-usage.ts";

const FUNCTION_CALL = { functionCall: { name: "find", args: {} } };

describe("metrics of efficiency", () => {
  it("count calls of tools and models", async () => {
    verifies("platform:evaluation:efficiency");
    const turns = [
      turn({ content: { parts: [FUNCTION_CALL, FUNCTION_CALL] }, modelVersion: "m" }, {}, { usageMetadata: {} }),
      turn({ modelVersion: "m" }),
    ];
    expect(await overall(TOOL_CALL_COUNT, turns)).toEqual({ score: 1, status: 4 });
    expect(await overall(INFERENCE_CALL_COUNT, turns)).toEqual({ score: 1.5, status: 4 });
  });

  it("have no score where nothing was recorded", async () => {
    const turns = [{ userContent: userContent("question") }];
    for (const metric of [INFERENCE_CALL_COUNT, TOKEN_USAGE, INVOCATION_DURATION])
      expect((await overall(metric, turns)).score).toBeUndefined();
  });

  it("sum tokens of a turn, and count those that a turn does not report as zero", async () => {
    const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 4, thoughtsTokenCount: 2, totalTokenCount: 99 };
    const turns = [turn({ usageMetadata }, { usageMetadata }), turn({ usageMetadata: { promptTokenCount: 4 } })];
    const outcome = await TOKEN_USAGE.evaluate(inputOf(TOKEN_USAGE, turns));
    const counts = {
      totalTokens: 18,
      inputTokens: 12,
      promptTokens: 12,
      outputTokens: 6,
      candidatesTokens: 4,
      reasoningTokens: 2,
    };
    expect(outcome.overall).toEqual({ score: 18, status: 4, details: { tokenUsageDetails: counts } });
    expect(outcome.perInvocation.map(({ score }) => score)).toEqual([32, 4]);
  });

  it("split the seconds of turns that were timed", async () => {
    const timed = { ...turn(), duration: 2, modelDuration: 1.25, toolDuration: 0.5 };
    const turns = [timed, { ...timed, duration: 1.7004 }, turn()];
    expect(await overall(INVOCATION_DURATION, turns)).toEqual({
      score: 1.85,
      status: 4,
      details: {
        durationDetails: { totalSeconds: 1.85, modelSeconds: 1.25, toolSeconds: 0.5, frameworkSeconds: 0.125 },
      },
    });
  });

  it("round a tie to the even thousandth", async () => {
    const turns = [0.0625, 0.1875].map((duration) => ({ ...turn(), duration }));
    const scores = await Promise.all(turns.map(async (one) => (await overall(INVOCATION_DURATION, [one])).score));
    expect(scores).toEqual([0.062, 0.188]);
  });
});

async function overall(metric: Metric, turns: readonly Invocation[]) {
  return (await metric.evaluate(inputOf(metric, turns))).overall;
}

function inputOf({ info: { metricName } }: Metric, actual: readonly Invocation[]) {
  const ask = () => Promise.reject(new Error("No judge is asked."));
  return { metric: { metricName }, evalId: "case", actual, ask, signal: new AbortController().signal };
}

function turn(...events: readonly Partial<InvocationEvent>[]): Invocation {
  const invocationEvents = events.map((event) => ({ author: "agent", ...event }));
  return { userContent: userContent("question"), intermediateData: { invocationEvents } };
}
