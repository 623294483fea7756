import { describe, expect, it } from "vitest";
import type { EvalCase } from "#kit/evaluation/eval-set.ts";
import { textOf, userContent } from "#kit/events/content.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryEvalStore } from "#ports/evaluation/in-memory-eval-store.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";
import type { RunScript } from "#test/helpers/worlds/scripted-runner.ts";

const SHOUT: RunScript = (run) => run.say(textOf(run.request.newMessage).toUpperCase());
const LONG = "x".repeat(10_000);

function asking(evalId: string, turns = 1): EvalCase {
  const turn = { userContent: userContent("hi"), finalResponse: { role: "model", parts: [{ text: "HI" }] } };
  return { evalId, conversation: Array.from({ length: turns }, () => turn) };
}

const SIZES = { smoke: 1, long: 1, some: 1200, huge: 10_000 } as const;

async function startEvals(script: RunScript = SHOUT, evalSetId: keyof typeof SIZES = "smoke") {
  const clock = new FixedClock(1_787_140_000_500);
  const evalStore = new InMemoryEvalStore({ clock });
  for (const id of new Set(["smoke", evalSetId] as const)) {
    const evalCases = Array.from({ length: SIZES[id] }, (_, index) =>
      asking(`case-${index}`, id === "long" ? 1200 : 1),
    );
    await evalStore.createEvalSet({ appName: "echo", evalSetId: id, evalCases });
  }
  const world = await startGateway({
    clock,
    script,
    deps: { evalStore },
    config: { EVAL_JUDGE_MODELS: ["demo/chat"] },
  });
  const start = async (body: object, path = "/v1/evals") => {
    // Evaluations of a set have results of their own times.
    clock.advance(1);
    const response = await world.gateway.inject({ method: "POST", url: path, payload: body });
    return { status: response.statusCode, body: response.json() };
  };
  return { world, start, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
}

const SMOKE = { appName: "echo", evalSetId: "smoke" };

function judged(judgeModelOptions: object, metricName = "final_response_match_v2") {
  return { metricName, criterion: { threshold: 0.5, judgeModelOptions } };
}

const NESTED = JSON.parse(`${"[".repeat(2000)}${"]".repeat(2000)}`);

describe("the limits of an evaluation on a server", () => {
  it.each<[string, object, string]>([
    ["10,000 cases", { ...SMOKE, evalSetId: "huge" }, "evalIds must name at most 2000 cases"],
    ["101 samples", { ...SMOKE, evalMetrics: [judged({ numSamples: 101 })] }, "numSamples"],
    ["a billion samples", { ...SMOKE, evalMetrics: [judged({ numSamples: 1e9 })] }, "numSamples"],
    ["half a sample", { ...SMOKE, evalMetrics: [judged({ numSamples: 0.5 })] }, "numSamples"],
    [
      "120,000 samples",
      { ...SMOKE, evalSetId: "some", evalMetrics: [judged({ numSamples: 100 })] },
      "evalMetrics must ask judges for at most 100000 samples, and ask for 120000",
    ],
    [
      "120,000 samples of one conversation",
      { ...SMOKE, evalSetId: "long", evalMetrics: [judged({ numSamples: 100 })] },
      "evalMetrics must ask judges for at most 100000 samples, and ask for 120000",
    ],
    [
      "a thousand questions at once",
      { ...SMOKE, evalMetrics: [judged({ parallelismLimit: 1000 })] },
      "parallelismLimit",
    ],
    ["a foreign judge", { ...SMOKE, evalMetrics: [judged({ judgeModel: "openai/gpt-9" })] }, "judgeModel"],
    ["no judge", { ...SMOKE, evalMetrics: [judged([])] }, "judgeModelOptions"],
    ["101 metrics", { ...SMOKE, evalMetrics: Array.from({ length: 101 }, () => "safety_v1") }, "evalMetrics"],
    ["a custom metric", { ...SMOKE, evalMetrics: ["polite"] }, "polite"],
    ["a metric of a prototype", { ...SMOKE, evalMetrics: ["constructor"] }, "constructor"],
    ["a metric that is another's name", { ...SMOKE, evalMetrics: [{ metricName: "__proto__" }] }, "__proto__"],
    ["a long name", { ...SMOKE, evalMetrics: [LONG] }, "metric"],
    ["nested metrics", { ...SMOKE, evalMetrics: NESTED }, "nested deeper"],
    [
      "a nested criterion",
      { ...SMOKE, evalMetrics: [{ metricName: "tool_trajectory_avg_score", criterion: NESTED }] },
      "nested deeper",
    ],
    [
      "an endless conversation",
      { ...SMOKE, userSimulatorConfig: { maxAllowedInvocations: -1 } },
      "maxAllowedInvocations",
    ],
    ["a thousand turns", { ...SMOKE, userSimulatorConfig: { maxAllowedInvocations: 1000 } }, "maxAllowedInvocations"],
    ["a foreign player", { ...SMOKE, userSimulatorConfig: { model: "gpt-9" } }, "userSimulatorConfig.model"],
    ["a case of a long name", { ...SMOKE, evalIds: [LONG] }, "Evaluation case not found"],
    ["no names", { evalIds: [] }, "appName"],
    ["a list", [SMOKE], "body"],
  ])("refuse %s, and name the field", async (_, body, text) => {
    verifies("platform:evaluation:limits");
    // A set of this test.
    const { evalSetId } = { ...SMOKE, ...body } as { readonly evalSetId: keyof typeof SIZES };
    await using evals = await startEvals(SHOUT, evalSetId);
    for (const path of ["/v1/evals", "/apps/echo/eval-sets/smoke/run-eval"]) {
      // The other route has the names in its path.
      if (path !== "/v1/evals" && !("evalSetId" in body && evalSetId === "smoke")) continue;
      const answer = await evals.start(body, path);
      expect([400, 404, 422]).toContain(answer.status);
      expect(answer.body.message).toContain(text);
      expect(answer.body.message.length).toBeLessThan(12_000);
    }
    expect(evals.world.runner.started).toEqual([]);
    // Nothing stays broken.
    expect((await evals.start({ ...SMOKE, evalMetrics: ["response_match_score"] })).status).toBe(202);
  });

  it("refuse a requester's 51st open evaluation, until one has ended", async () => {
    verifies("platform:evaluation:limits");
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await using evals = await startEvals(async (run) => {
      await released;
      return SHOUT(run);
    });
    const answers = [];
    for (let index = 0; index < 60; index += 1) answers.push(await evals.start(SMOKE));
    expect(answers.map(({ status }) => status)).toEqual([...Array(50).fill(202), ...Array(10).fill(429)]);
    expect(answers.at(-1)?.body).toMatchObject({ reason: "TOO_MANY_EVALUATIONS", details: { limit: "50" } });
    release();
    await expect.poll(async () => (await evals.start(SMOKE)).status).toBe(202);
  });
});
