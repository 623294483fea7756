import type { InjectOptions } from "fastify";
import { describe, expect, it } from "vitest";
import { createEvent, type Event } from "#kit/events/event.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryEvalStore } from "#ports/evaluation/in-memory-eval-store.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { type GatewayWorld, startGateway } from "#test/helpers/worlds/gateway-world.ts";

const NOW_SECONDS = 1_787_140_000.5;
const CASE = { evalId: "c1", conversation: [{ userContent: { role: "user", parts: [{ text: "hi" }] } }] };

const CASE_RESULT = {
  evalSetId: "smoke",
  evalId: "c1",
  finalEvalStatus: 1,
  overallEvalMetricResults: [
    { metricName: "response_match_score", threshold: 0.8, score: 1, evalStatus: 1 },
    { metricName: "tool_call_count_v1", score: 2, evalStatus: 4 },
  ],
  evalMetricResultPerInvocation: [],
  sessionId: "s",
} as const;

interface EvalWorld extends AsyncDisposable {
  readonly world: GatewayWorld;
  readonly evalStore: InMemoryEvalStore;
  call(
    method: NonNullable<InjectOptions["method"]>,
    url: string,
    payload?: object,
  ): Promise<readonly [number, unknown]>;
}

async function startEvals(): Promise<EvalWorld> {
  const clock = new FixedClock(NOW_SECONDS * 1000);
  const evalStore = new InMemoryEvalStore({ clock });
  const world = await startGateway({ clock, deps: { evalStore }, instruction: "Be {mood}." });
  return {
    world,
    evalStore,
    call: async (method, url, payload) => {
      const response = await world.gateway.inject({ method, url, ...(payload && { payload }) });
      return [response.statusCode, response.json()];
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

function reasonOf([status, body]: readonly [number, unknown]): readonly [number, unknown] {
  // The form of the gateway's error body.
  return [status, (body as { reason?: string }).reason];
}

describe("evaluation sets over HTTP", () => {
  it("are created in both forms, and listed, read and deleted in all spellings", async () => {
    verifies(
      "wire:paths:spellings",
      "endpoints-http:create-eval-set:route",
      "endpoints-http:list-eval-sets:route",
      "endpoints-http:create-eval-set",
    );
    verifies("endpoints-http:list-eval-sets", "what-the-service-does:evaluation-endpoints");
    await using evals = await startEvals();
    const { call } = evals;
    const set = { eval_set_id: "smoke", name: "Smoke", description: "basic", eval_cases: [CASE] };
    const stored = { ...set, creation_timestamp: NOW_SECONDS };
    expect(await call("POST", "/dev/apps/echo/eval-sets", { eval_set: set })).toEqual([200, stored]);
    expect(await call("POST", "/apps/echo/eval_sets/old")).toEqual([200, null]);
    expect(await call("POST", "/apps/echo/eval-sets", { evalSet: { evalSetId: "camel", evalCases: [] } })).toEqual([
      200,
      { eval_set_id: "camel", eval_cases: [], creation_timestamp: NOW_SECONDS },
    ]);
    for (const prefix of ["/apps/echo", "/dev/apps/echo"]) {
      expect(await call("GET", `${prefix}/eval_sets`)).toEqual([200, ["camel", "old", "smoke"]]);
      expect(await call("GET", `${prefix}/eval-sets`)).toEqual([200, { evalSetIds: ["camel", "old", "smoke"] }]);
      expect(await call("GET", `${prefix}/eval_sets/smoke`)).toEqual([200, stored]);
      expect(await call("GET", `${prefix}/eval-sets/smoke`)).toEqual([200, stored]);
    }
    expect(await call("DELETE", "/dev/apps/echo/eval-sets/old")).toEqual([200, null]);
    expect(await call("DELETE", "/apps/echo/eval_sets/camel")).toEqual([200, null]);
    expect(await call("GET", "/apps/echo/eval_sets")).toEqual([200, ["smoke"]]);
    expect(await call("GET", "/apps/other/eval_sets")).toEqual([200, []]);
  });

  it("have cases that are listed, read, replaced and deleted", async () => {
    verifies("endpoints-http:list-evals:route", "endpoints-http:list-evals");
    await using evals = await startEvals();
    const { call } = evals;
    await call("POST", "/apps/echo/eval-sets", {
      eval_set: { eval_set_id: "smoke", eval_cases: [CASE, { ...CASE, evalId: "b" }] },
    });
    const wire = { ...CASE, creationTimestamp: 0, finalSessionState: {} };
    for (const path of ["/apps/echo/eval_sets/smoke/evals", "/dev/apps/echo/eval-sets/smoke/eval-cases"]) {
      expect(await call("GET", path)).toEqual([200, ["b", "c1"]]);
      expect(await call("GET", `${path}/c1`)).toEqual([200, wire]);
    }
    const replaced = {
      eval_id: "c1",
      conversation: [],
      session_input: { app_name: "echo", user_id: "u", state: { snake_key: 1 } },
    };
    expect(await call("PUT", "/apps/echo/eval_sets/smoke/evals/c1", replaced)).toEqual([200, null]);
    expect(await call("GET", "/apps/echo/eval_sets/smoke/evals/c1")).toEqual([
      200,
      {
        evalId: "c1",
        conversation: [],
        creationTimestamp: 0,
        finalSessionState: {},
        sessionInput: { appName: "echo", userId: "u", state: { snake_key: 1 } },
      },
    ]);
    expect(await call("DELETE", "/dev/apps/echo/eval-sets/smoke/eval-cases/b")).toEqual([200, null]);
    expect(await call("GET", "/apps/echo/eval_sets/smoke/evals")).toEqual([200, ["c1"]]);
  });

  it.each([
    ["/apps/echo/eval_sets/smoke/add-session", { evalId: "c1", sessionId: "s", userId: "u" }],
    ["/dev/apps/echo/eval_sets/smoke/add_session", { eval_id: "c1", session_id: "s", user_id: "u" }],
    ["/dev/apps/echo/eval-sets/smoke/add-session", { evalId: "c1", sessionId: "s", userId: "u" }],
  ])("take a session as a case at %s", async (path, body) => {
    verifies(
      "what-the-service-does:evaluation-placeholders",
      "endpoints-http:add-session-to-eval-set",
      "endpoints-http:add-session-to-eval-set:response",
    );
    verifies(
      "server-objects:add-session:eval-id",
      "server-objects:add-session:session-id",
      "server-objects:add-session:user-id",
    );
    await using evals = await startEvals();
    const { call, world } = evals;
    await world.store.createSession({ appName: "echo", userId: "u", id: "s", events: conversation() });
    await call("POST", "/apps/echo/eval_sets/smoke");
    expect(await call("POST", path, body)).toEqual([200, null]);
    expect(await call("GET", "/apps/echo/eval_sets/smoke/evals/c1")).toEqual([
      200,
      {
        evalId: "c1",
        conversation: [
          {
            invocationId: "e-1",
            creationTimestamp: 1.5,
            userContent: { role: "user", parts: [{ text: "weather?" }] },
            finalResponse: { role: "model", parts: [{ text: "sunny" }] },
            intermediateData: { toolUses: [], toolResponses: [], intermediateResponses: [] },
          },
        ],
        sessionInput: { appName: "echo", userId: "u", state: { mood: "" } },
        creationTimestamp: NOW_SECONDS,
        finalSessionState: {},
      },
    ]);
    expect(reasonOf(await call("POST", path, body))).toEqual([409, "EVAL_CASE_ALREADY_EXISTS"]);
  });

  it("show results under their names", async () => {
    verifies("endpoints-http:get-eval-result:route", "endpoints-http:get-eval-result");
    verifies("endpoints-http:list-eval-results:route", "endpoints-http:list-eval-results");
    await using evals = await startEvals();
    const { call, evalStore } = evals;
    const stored = {
      evalSetResultId: "echo_smoke_1.5",
      evalSetResultName: "echo_smoke_1.5",
      evalSetId: "smoke",
      evalCaseResults: [CASE_RESULT],
      creationTimestamp: 1.5,
    };
    await evalStore.saveEvalSetResult({ appName: "echo" }, stored);
    // The developer UI, which reads below /dev, counts those that were asked for.
    const forUi = {
      ...stored,
      evalCaseResults: [{ ...CASE_RESULT, evalMetricResults: [CASE_RESULT.overallEvalMetricResults[0]] }],
    };
    for (const [prefix, result] of [
      ["/apps/echo", stored],
      ["/dev/apps/echo", forUi],
    ] as const) {
      expect(await call("GET", `${prefix}/eval_results`)).toEqual([200, ["echo_smoke_1.5"]]);
      expect(await call("GET", `${prefix}/eval-results`)).toEqual([200, { evalResultIds: ["echo_smoke_1.5"] }]);
      expect(await call("GET", `${prefix}/eval_results/echo_smoke_1.5`)).toEqual([200, result]);
      expect(await call("GET", `${prefix}/eval-results/echo_smoke_1.5`)).toEqual([200, result]);
    }
  });

  it.each([
    ["POST", "/apps/echo/eval-sets", {}, 422, "INVALID_FIELD"],
    ["POST", "/apps/echo/eval-sets", { eval_set: { eval_set_id: "../x", eval_cases: [] } }, 400, "INVALID_IDENTIFIER"],
    ["POST", "/apps/echo/eval-sets", { eval_set: { eval_set_id: "x", eval_cases: [{}] } }, 400, "INVALID_IDENTIFIER"],
    ["POST", "/apps/echo/eval_sets/smoke", {}, 409, "EVAL_SET_ALREADY_EXISTS"],
    ["GET", "/apps/echo/eval_sets/none", undefined, 404, "EVAL_SET_NOT_FOUND"],
    ["DELETE", "/apps/echo/eval_sets/none", undefined, 404, "EVAL_SET_NOT_FOUND"],
    ["GET", "/apps/echo/eval_sets/none/evals", undefined, 404, "EVAL_SET_NOT_FOUND"],
    ["GET", "/apps/echo/eval_sets/smoke/evals/none", undefined, 404, "EVAL_CASE_NOT_FOUND"],
    ["DELETE", "/apps/echo/eval_sets/smoke/evals/none", undefined, 404, "EVAL_CASE_NOT_FOUND"],
    ["PUT", "/apps/echo/eval_sets/smoke/evals/c9", { ...CASE, evalId: "c9" }, 404, "EVAL_CASE_NOT_FOUND"],
    ["PUT", "/apps/echo/eval_sets/smoke/evals/c2", CASE, 422, "INVALID_FIELD"],
    ["PUT", "/apps/echo/eval_sets/smoke/evals/c1", undefined, 422, "INVALID_FIELD"],
    ["POST", "/apps/echo/eval_sets/smoke/add-session", {}, 422, "INVALID_FIELD"],
    [
      "POST",
      "/apps/echo/eval_sets/none/add-session",
      { evalId: "c", sessionId: "s", userId: "u" },
      404,
      "EVAL_SET_NOT_FOUND",
    ],
    [
      "POST",
      "/apps/echo/eval_sets/smoke/add-session",
      { evalId: "c", sessionId: "s", userId: "u" },
      404,
      "SESSION_NOT_FOUND",
    ],
    ["GET", "/apps/echo/eval_results/none", undefined, 404, "EVAL_RESULT_NOT_FOUND"],
  ] as const)("answer %s %s with %j by %i %s", async (method, url, payload, status, reason) => {
    await using evals = await startEvals();
    await evals.call("POST", "/apps/echo/eval_sets/smoke");
    expect(reasonOf(await evals.call(method, url, payload))).toEqual([status, reason]);
  });

  it("come with metrics that each have an interval, as the developer UI needs, and none that cannot be computed here", async () => {
    await using evals = await startEvals();
    const [status, body] = await evals.call("GET", "/dev/apps/echo/metrics-info");
    const { metricsInfo } = body as {
      metricsInfo: readonly { metricName: string; metricValueInfo: { interval: object } }[];
    };
    expect(status).toBe(200);
    expect(metricsInfo.map(({ metricValueInfo }) => Object.keys(metricValueInfo.interval))).toEqual(
      metricsInfo.map(() => ["minValue", "openAtMin", "maxValue", "openAtMax"]),
    );
    // None that asks a managed service or a judge.
    expect(metricsInfo.map(({ metricName }) => metricName)).toEqual([
      "tool_trajectory_avg_score",
      "tool_trajectory_f1",
      "response_match_score",
      "tool_call_count_v1",
      "inference_call_count_v1",
      "token_usage_v1",
      "invocation_duration_v1",
    ]);
  });
});

describe("recorded tests of an app", () => {
  it("are none", async () => {
    await using evals = await startEvals();
    expect(await evals.call("GET", "/dev/apps/echo/tests")).toEqual([200, []]);
    expect(reasonOf(await evals.call("GET", "/dev/apps/echo/tests/x.json"))).toEqual([404, "AGENT_TEST_NOT_FOUND"]);
    expect(reasonOf(await evals.call("PUT", "/dev/apps/echo/tests/x.json", {}))).toEqual([501, "NOT_IMPLEMENTED"]);
  });
});

function conversation(): readonly Event[] {
  return [
    createEvent({
      id: "1",
      invocationId: "e-1",
      author: "user",
      timestamp: 1500,
      content: { role: "user", parts: [{ text: "weather?" }] },
    }),
    createEvent({
      id: "2",
      invocationId: "e-1",
      author: "echo_root",
      timestamp: 1600,
      content: { role: "model", parts: [{ text: "sunny" }] },
    }),
  ];
}
