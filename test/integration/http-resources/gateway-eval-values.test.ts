import { describe, expect, it } from "vitest";
import { textOf, userContent } from "#kit/events/content.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryEvalStore } from "#ports/evaluation/in-memory-eval-store.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";

const CLOCK = new FixedClock(1_787_140_000_500);

async function startEvals() {
  const evalStore = new InMemoryEvalStore({ clock: CLOCK });
  const asking = (evalId: string, expected: string) => ({
    evalId,
    conversation: [{ userContent: userContent("hi"), finalResponse: { role: "model", parts: [{ text: expected }] } }],
  });
  const evalCases = [asking("right", "HI"), asking("wrong", "no")];
  await evalStore.createEvalSet({ appName: "echo", evalSetId: "smoke", evalCases });
  const world = await startGateway({
    clock: CLOCK,
    script: (run) => run.say(textOf(run.request.newMessage).toUpperCase()),
    deps: { evalStore },
  });
  const run = async (payload: object) => {
    const response = await world.gateway.inject({
      method: "POST",
      url: "/apps/echo/eval_sets/smoke/run_eval",
      payload,
    });
    return { status: response.statusCode, body: response.json() };
  };
  return { run, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
}

describe("the objects of an evaluation", () => {
  it("have statuses that are numbers: 1 passed, 2 failed, 3 not evaluated, and 4 for metrics that inform", async () => {
    verifies("states:evaluation-status", "server-objects:field-types:evaluation");
    await using evals = await startEvals();
    const metric = { metricName: "response_match_score", threshold: 0.5 };
    const scored = await evals.run({ evalIds: ["right", "wrong"], evalMetrics: [metric] });
    const unscored = await evals.run({ evalIds: ["right"], evalMetrics: ["safety_v1"] });
    const statuses = [...scored.body, ...unscored.body].map(({ finalEvalStatus, evalMetricResults }) => [
      finalEvalStatus,
      evalMetricResults.map(({ evalStatus }: { readonly evalStatus: number }) => evalStatus),
    ]);
    expect(statuses).toEqual([
      [1, [1, 4, 4, 4, 4]],
      [2, [2, 4, 4, 4, 4]],
      [3, [3, 4, 4, 4, 4]],
    ]);
    expect(scored.body[0].evalMetricResults[0]).toMatchObject({ ...metric, score: 1, evalStatus: 1 });
  });

  it.each([
    [{ evalIds: "right" }, "evalIds"],
    [{ evalIds: [1] }, "evalIds[0]"],
    [{ evalMetrics: {} }, "evalMetrics"],
    [{ evalMetrics: [7] }, "evalMetrics[0]"],
    [{ evalMetrics: [{ metricName: "response_match_score", threshold: "high" }] }, "evalMetrics[0].threshold"],
  ])("are refused with another type: %j", async (body, field) => {
    verifies("server-objects:field-types:evaluation");
    await using evals = await startEvals();
    const answer = await evals.run(body);
    expect([answer.status, answer.body.reason]).toEqual([422, "INVALID_FIELD"]);
    expect(answer.body.message).toContain(field);
  });
});
