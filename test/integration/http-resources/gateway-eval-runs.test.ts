import { describe, expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { EvalSetResult } from "#kit/evaluation/eval-result.ts";
import type { EvalCase } from "#kit/evaluation/eval-set.ts";
import { textOf, userContent } from "#kit/events/content.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryEvalStore } from "#ports/evaluation/in-memory-eval-store.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";
import type { RunScript } from "#test/helpers/worlds/scripted-runner.ts";

const CLOCK = new FixedClock(1_787_140_000_500);
const RESULT = "echo_smoke_1787140000.5";
const MATCH = { metricName: "response_match_score", threshold: 0.8 };

/** Says what it is asked, in capitals. */
const SHOUT: RunScript = (run) => run.say(textOf(run.request.newMessage).toUpperCase());

function conversation(evalId: string, ...turns: readonly (readonly [asked: string, expected: string])[]): EvalCase {
  const invocations = turns.map(([asked, expected]) => ({
    userContent: userContent(asked),
    finalResponse: { role: "model", parts: [{ text: expected }] },
  }));
  return { evalId, conversation: invocations };
}

const GREETING = conversation("greeting", ["hi there", "HI THERE"], ["and you", "AND YOU"]);
const MISTAKE = conversation("mistake", ["one two", "three four"]);

async function startEvals(script: RunScript = SHOUT, cases: readonly EvalCase[] = [GREETING, MISTAKE]) {
  const evalStore = new InMemoryEvalStore({ clock: CLOCK });
  await evalStore.createEvalSet({ appName: "echo", evalSetId: "smoke", evalCases: cases });
  const world = await startGateway({ clock: CLOCK, script, deps: { evalStore } });
  return {
    world,
    evalStore,
    run: async (body: unknown, path = "/apps/echo/eval_sets/smoke/run-eval", headers: Record<string, string> = {}) => {
      const payload = body === undefined ? {} : { payload: body as object };
      const response = await world.gateway.inject({ method: "POST", url: path, headers, ...payload });
      return { status: response.statusCode, body: response.json() };
    },
    stored: async (): Promise<EvalSetResult | undefined> => evalStore.getEvalSetResult({ appName: "echo" }, RESULT),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

function statuses(results: readonly { readonly evalId: string; readonly finalEvalStatus: number }[]) {
  return results.map(({ evalId, finalEvalStatus }) => [evalId, finalEvalStatus]);
}

describe("an evaluation of a set", () => {
  it("runs each case in a session of its own, turn by turn, and scores the answers", async () => {
    verifies(
      "what-the-service-does:evaluation-placeholders",
      "endpoints-http:run-eval",
      "server-objects:run-eval-request:eval-ids",
      "server-objects:run-eval-request:eval-metrics",
      "server-objects:run-eval-result:app-name",
      "server-objects:run-eval-result:eval-set-id",
    );
    await using evals = await startEvals();
    const { status, body } = await evals.run({ evalIds: ["greeting"], evalMetrics: [MATCH] });
    expect(status).toBe(200);
    expect(body).toMatchObject([
      {
        appName: "echo",
        evalSetId: "smoke",
        evalId: "greeting",
        finalEvalStatus: 1,
        userId: "test_user_id",
        evalMetricResults: [{ ...MATCH, score: 1, evalStatus: 1 }, {}, {}, {}, {}],
        evalMetricResultPerInvocation: [
          { actualInvocation: { finalResponse: { parts: [{ text: "HI THERE" }] } } },
          { actualInvocation: { finalResponse: { parts: [{ text: "AND YOU" }] } } },
        ],
      },
    ]);
    const key = { appName: "echo", userId: "test_user_id", id: body[0].sessionId };
    const session = await evals.world.deps.sessionService.getSession(key);
    expect(session?.events.map(({ content }) => textOf(content))).toEqual([
      "hi there",
      "HI THERE",
      "and you",
      "AND YOU",
    ]);
    const list = await evals.world.gateway.inject("/apps/echo/users/test_user_id/sessions");
    expect(list.json()).toEqual([]);
  });

  it("answers in the form of each spelling, for all cases if none are named", async () => {
    verifies("wire:paths:spellings");
    await using evals = await startEvals();
    for (const prefix of ["/apps/echo", "/dev/apps/echo"]) {
      for (const path of ["eval_sets/smoke/run_eval", "eval_sets/smoke/run-eval"]) {
        const { body } = await evals.run({ evalIds: [], evalMetrics: ["response_match_score"] }, `${prefix}/${path}`);
        expect(statuses(body)).toEqual([
          ["greeting", 1],
          ["mistake", 2],
        ]);
      }
      for (const path of ["eval-sets/smoke/run", "eval-sets/smoke/run-eval"]) {
        const { body } = await evals.run(
          {
            eval_case_ids: ["mistake", "mistake"],
            eval_metrics: [{ metric_name: "response_match_score", threshold: 0 }],
          },
          `${prefix}/${path}`,
        );
        expect(statuses(body.runEvalResults)).toEqual([["mistake", 1]]);
      }
    }
  });

  it("stores the result, which is listed and read afterwards", async () => {
    await using evals = await startEvals();
    await evals.run(undefined);
    expect(await evals.evalStore.listEvalSetResults({ appName: "echo" })).toEqual([RESULT]);
    expect(statuses((await evals.stored())?.evalCaseResults ?? [])).toEqual([
      ["greeting", 1],
      ["mistake", 2],
    ]);
  });

  it("fails a case whose agent fails, says why, and evaluates the others", async () => {
    const script: RunScript = async (run) => {
      if (textOf(run.request.newMessage) === "one two")
        return { status: "failed", error: { code: "INTERNAL", reason: "RUN_FAILED", message: "The tool broke." } };
      return SHOUT(run);
    };
    await using evals = await startEvals(script);
    const { body } = await evals.run({ evalMetrics: [MATCH] });
    expect(statuses(body)).toEqual([
      ["greeting", 1],
      ["mistake", 2],
    ]);
    expect(JSON.stringify(body[1].overallEvalMetricResults)).toContain("The tool broke.");
  });

  it("with an idempotency key is one evaluation, however often it is asked for", async () => {
    const asked: string[] = [];
    let failures = 2;
    await using evals = await startEvals((run) => {
      asked.push(textOf(run.request.newMessage));
      return SHOUT(run);
    });
    // The result cannot be stored at first, after all turns were run.
    const save = evals.evalStore.saveEvalSetResult.bind(evals.evalStore);
    evals.evalStore.saveEvalSetResult = async (...given) => {
      failures -= 1;
      if (failures >= 0) throw new PlatformError("STORE_UNAVAILABLE", "The store is unavailable.");
      return save(...given);
    };
    const key = { "idempotency-key": "nightly-1" };
    const [first, second] = await Promise.all([evals.run({}, undefined, key), evals.run({}, undefined, key)]);
    const third = await evals.run({}, undefined, key);
    expect(statuses(first.body)).toEqual([
      ["greeting", 1],
      ["mistake", 2],
    ]);
    expect([second.body, third.body]).toEqual([first.body, first.body]);
    expect(asked.toSorted()).toEqual(["and you", "hi there", "one two"]);
    expect(await evals.evalStore.listEvalSetResults({ appName: "echo" })).toEqual([RESULT]);
    const other = await evals.run({ evalIds: ["mistake"] }, undefined, key);
    expect([other.status, other.body.reason]).toEqual([422, "IDEMPOTENCY_KEY_REUSED"]);
    await evals.run({});
    expect(asked).toHaveLength(6);
  });

  it("fails if the platform cannot store it for another reason than a moment's", async () => {
    await using evals = await startEvals();
    evals.evalStore.saveEvalSetResult = async () => {
      throw new Error("the store is broken at /secret/path");
    };
    const { status, body } = await evals.run({});
    expect([status, body.reason]).toEqual([500, "INTERNAL"]);
    expect(JSON.stringify(body)).not.toContain("secret");
  });

  it("does not simulate users, and says so", async () => {
    const scenario = { evalId: "played", conversationScenario: { startingPrompt: "hi", conversationPlan: "ask" } };
    await using evals = await startEvals(SHOUT, [scenario]);
    const { body } = await evals.run({ evalMetrics: [MATCH] });
    expect(statuses(body)).toEqual([["played", 2]]);
    expect(JSON.stringify(body)).toContain("does not simulate users");
  });

  const SET = "/apps/echo/eval_sets/smoke/run-eval";
  it.each([
    [SET, { evalIds: ["none"] }, 404, "EVAL_CASE_NOT_FOUND", "none"],
    [SET, { evalMetrics: ["respons_match_score"] }, 422, "INVALID_FIELD", "response_match_score"],
    [SET, { evalMetrics: [1] }, 422, "INVALID_FIELD", "evalMetrics[0]"],
    [SET, { evalMetrics: [{}] }, 422, "INVALID_FIELD", "metricName"],
    [SET, { evalMetrics: [MATCH, "response_match_score"] }, 422, "INVALID_FIELD", "once"],
    [SET, { evalMetrics: Array.from({ length: 101 }, () => MATCH) }, 422, "INVALID_FIELD", "evalMetrics"],
    [SET, { evalIds: "greeting" }, 422, "INVALID_FIELD", "evalIds"],
    [SET, [], 422, "INVALID_FIELD", "body"],
    ["/apps/echo/eval_sets/none/run-eval", {}, 404, "EVAL_SET_NOT_FOUND", "none"],
    ["/apps/echo/eval_sets/empty/run-eval", {}, 422, "INVALID_FIELD", "no cases"],
    ["/apps/echo/eval_sets/state/run-eval", {}, 403, "APP_STATE_READ_ONLY", "app:price"],
  ] as const)("to %s with %j is answered by %i %s", async (path, body, status, reason, text) => {
    await using evals = await startEvals();
    const app = { appName: "echo" };
    await evals.evalStore.createEvalSet({ ...app, evalSetId: "empty" });
    const sessionInput = { appName: "echo", userId: "u", state: { "app:price": 0 } };
    await evals.evalStore.createEvalSet({ ...app, evalSetId: "state", evalCases: [{ ...GREETING, sessionInput }] });
    const answer = await evals.run(body, path);
    expect([answer.status, answer.body.reason]).toEqual([status, reason]);
    expect(answer.body.message).toContain(text);
    expect(evals.world.runner.started).toEqual([]);
  });
});
