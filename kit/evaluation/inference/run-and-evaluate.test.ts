import { expect, it } from "vitest";
import { metricNotes } from "#kit/evaluation/metric-note.ts";
import { userContent } from "#kit/events/content.ts";
import { createEvent } from "#kit/events/event.ts";
import { MetricRegistry } from "../engine/metric-registry.ts";
import { EVAL_STATUS } from "../eval-result.ts";
import type { EvalCase } from "../eval-set.ts";
import { runAndEvaluate } from "./run-and-evaluate.ts";
import type { CaseRun, TurnRequest } from "./run-case.ts";

const TURNS = ["one", "two", "three"];
const CASE: EvalCase = {
  evalId: "c",
  conversation: TURNS.map((text) => ({ userContent: userContent(text), finalResponse: userContent(text) })),
};
const METRIC = { metricName: "response_match_score", threshold: 0.5 };

/** Evaluates the case with an agent that repeats its user, up to the turn at which it fails. */
async function evaluate(failsAt: number, { signal = new AbortController().signal } = {}) {
  const runs: CaseRun[] = [];
  const startTurn = async ({ turn, message }: TurnRequest) => {
    if (turn === failsAt) throw new Error("The agent fell over.");
    const said = { id: "e", invocationId: `i${turn}`, author: "helper", timestamp: 0 };
    return { events: [createEvent({ ...said, content: { role: "model", parts: message.parts ?? [] } })] };
  };
  const registry = new MetricRegistry();
  const evaluation = {
    evalSetId: "set",
    metrics: [METRIC],
    registry,
    signal,
    onRun: (run: CaseRun) => void runs.push(run),
  };
  const result = await runAndEvaluate(CASE, { sessionId: "s", userId: "u", startTurn }, evaluation);
  return { result, runs };
}

it.each([0, 1, 2])("a case whose run fails at turn %i is failed and not scored, whatever came before", async (turn) => {
  const { result, runs } = await evaluate(turn);
  const {
    overallEvalMetricResults: [overall],
    ...rest
  } = result;
  expect(rest).toEqual({
    ...{ evalSetFile: "set", evalSetId: "set", evalId: "c", sessionId: "s", userId: "u" },
    finalEvalStatus: EVAL_STATUS.FAILED,
    evalMetricResultPerInvocation: [],
  });
  expect(overall).toMatchObject({ ...METRIC, evalStatus: EVAL_STATUS.NOT_EVALUATED });
  expect(overall).not.toHaveProperty("score");
  expect(metricNotes(overall ?? {}).join()).toContain("The run failed");
  expect(runs.map(({ kind, invocations }) => [kind, invocations.length])).toEqual([["failed", turn]]);
});

it("a case that has run to its end is scored turn by turn", async () => {
  const { result, runs } = await evaluate(TURNS.length);
  expect(result.finalEvalStatus).toBe(EVAL_STATUS.PASSED);
  expect(result.evalMetricResultPerInvocation.map(({ evalMetricResults: [first] }) => first?.score)).toEqual([1, 1, 1]);
  expect(runs.map(({ kind, invocations }) => [kind, invocations.length])).toEqual([["finished", 3]]);
});

it("an evaluation that is aborted has no result", async () => {
  await expect(evaluate(0, { signal: AbortSignal.abort(new Error("stopped")) })).rejects.toThrow("stopped");
});
