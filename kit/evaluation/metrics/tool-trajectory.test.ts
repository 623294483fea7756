import { describe, expect, it } from "vitest";
import { userContent } from "#kit/events/content.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { verifies } from "#test/helpers/verifies.ts";
import type { Invocation } from "../eval-set.ts";
import { TOOL_TRAJECTORY, TOOL_TRAJECTORY_F1 } from "./tool-trajectory.ts";

describe("tool_trajectory_f1", () => {
  it.each([
    ["", "", {}, 1],
    ["a", "", {}, 0],
    ["a b c", "a b c", {}, 1],
    ["a b", "a b c", {}, 0.8],
    ["a x b y", "a b", {}, 2 / 3],
    ["b a", "a b", {}, 0.5],
    ["b a", "a b", { matchType: "any order" }, 1],
    ["a a", "a", { matchType: 2 }, 2 / 3],
  ])("of %j for %j, with %j, is %d", async (actual, expected, criterion, score) => {
    verifies("platform:evaluation:trajectory-f1");
    expect((await evaluate(TOOL_TRAJECTORY_F1, turn(actual), turn(expected), criterion)).overall.score).toBeCloseTo(
      score,
      12,
    );
  });
});

describe("tool_trajectory_avg_score", () => {
  it("reads calls of both forms of a turn", async () => {
    const functionCall = { name: "a", args: {} };
    const events: Invocation = {
      userContent: userContent("question"),
      intermediateData: { invocationEvents: [{ author: "agent", content: { parts: [{ functionCall }] } }] },
    };
    expect((await evaluate(TOOL_TRAJECTORY, events, turn("a"), {})).overall.score).toBe(1);
  });

  it("reads a criterion in both spellings", async () => {
    const [one, other] = [{ name: "a", args: { x: 1 } }, { name: "a" }].map((call): Invocation => {
      return { userContent: userContent("question"), intermediateData: { toolUses: [call] } };
    });
    if (one === undefined || other === undefined) throw new TypeError("There are two turns.");
    const criteria: JsonObject[] = [{}, { ignoreArgs: true }, { ignore_args: true }];
    const scores = criteria.map(async (criterion) => {
      return (await evaluate(TOOL_TRAJECTORY, one, other, criterion)).overall.score;
    });
    expect(await Promise.all(scores)).toEqual([0, 1, 1]);
  });
});

async function evaluate(
  metric: typeof TOOL_TRAJECTORY,
  actual: Invocation,
  expected: Invocation,
  criterion: JsonObject,
) {
  return metric.evaluate({
    metric: { metricName: metric.info.metricName, criterion: { threshold: 1, ...criterion } },
    evalId: "case",
    actual: [actual],
    expected: [expected],
    ask: () => Promise.reject(new Error("No judge is asked.")),
    signal: new AbortController().signal,
  });
}

/** A turn with calls of these names. */
function turn(names: string): Invocation {
  const toolUses = names.split(" ").flatMap((name) => (name === "" ? [] : [{ name, args: {} }]));
  return { userContent: userContent("question"), intermediateData: { toolUses } };
}
