import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createApp } from "#kit/core/app.ts";
import { StaticAgentLoader } from "#kit/definitions/loaders/static-agent-loader.ts";
import type { EvalCaseResult } from "#kit/evaluation/eval-result.ts";
import { textOf } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { LlmRequest } from "#kit/models/llm-request.ts";
import { defaultModelRegistry } from "#kit/models/registry/model-registry.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { createStandalone } from "#services/standalone/create-standalone.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { verifies } from "#test/helpers/verifies.ts";

const CASES = 6;
const SAMPLES = 3;
const VALID = '{"reasoning":"equal","is_the_agent_response_valid":"valid"}';
const INSTRUCTION = "Repeat what {user:name?} says.";
const TOOL = new FunctionTool({
  name: "get_weather",
  description: "Returns the weather of a city.",
  parameters: { city: "string" },
  execute: () => ({}),
});
const MATCH = {
  metricName: "final_response_match_v2",
  criterion: { threshold: 0.8, judgeModelOptions: { numSamples: SAMPLES } },
};

interface Body {
  readonly jobId: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly attempts: number;
  readonly counts: { readonly done: number; readonly passed: number };
  readonly results: readonly { readonly result: EvalCaseResult }[];
  readonly events: readonly { readonly author: string }[];
  readonly metricsInfo: readonly { readonly metricName: string }[];
}

/** Servers in one process, one after the other, on one data folder. */
function useServers(settings: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), "evaluations-"));
  const model = new ScriptedModel([({ contents }) => `You said ${textOf(contents.at(-1))}.`], { repeatLast: true });
  const open = async () => {
    const agentLoader = new StaticAgentLoader([
      createApp({
        name: "app",
        rootAgent: new LlmAgent({ name: "a", model, instruction: INSTRUCTION, tools: [TOOL] }),
      }),
    ]);
    const env = { PORT: "0", DATA_DIR: folder, DEV_UI: "false", ...settings };
    const config = loadConfig(standaloneConfigSchema, env);
    const server = await createStandalone({ config, agentLoader, logger: silentLogger });
    const call = async (method: "GET" | "POST", url: string, payload?: object) => {
      const response = await server.gateway.inject({ method, url, ...(payload !== undefined && { payload }) });
      // The forms that the tests expect.
      return { status: response.statusCode, body: response.json() as Body };
    };
    const ended = async (jobId: string): Promise<Body> => {
      await server.gateway.inject(`/v1/evals/${jobId}/stream`);
      return (await call("GET", `/v1/evals/${jobId}`)).body;
    };
    return { call, ended, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  };
  return { open, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

function setOf(evalCases: readonly object[]) {
  return { evalSet: { evalSetId: "smoke", name: "smoke", evalCases } };
}

function conversation(text: string) {
  const finalResponse = { role: "model", parts: [{ text: `You said ${text}.` }] };
  return [{ userContent: { role: "user", parts: [{ text }] }, finalResponse }];
}

const CASE_SET = setOf(
  Array.from({ length: CASES }, (_, index) => ({ evalId: `c${index}`, conversation: conversation(`word${index}`) })),
);

describe("an evaluation on the server in one process", { timeout: 60_000 }, () => {
  it("continues after a restart; no turn is run and no judge is asked again", async () => {
    verifies("platform:evaluation:job", "platform:evaluation:answers-kept");
    const judge = new ScriptedModel([VALID], { model: "test/patient-judge", repeatLast: true });
    defaultModelRegistry.register("test/patient-judge", judge);
    using servers = useServers({ EVAL_JUDGE_MODELS: "test/patient-judge", EVAL_PARALLEL_CASES: "1" });
    let jobId = "";
    {
      await using first = await servers.open();
      await first.call("POST", "/apps/app/eval-sets", CASE_SET);
      const started = await first.call("POST", "/v1/evals", {
        appName: "app",
        evalSetId: "smoke",
        evalMetrics: [MATCH],
      });
      expect(started.status).toBe(202);
      ({ jobId } = started.body);
      const done = async () => (await first.call("GET", `/v1/evals/${jobId}`)).body.counts.done;
      await expect.poll(done).toBeGreaterThan(0);
    }
    await using second = await servers.open();
    const job = await second.ended(jobId);
    expect([job.status, job.counts.passed]).toEqual(["succeeded", CASES]);
    expect(judge.callCount).toBe(CASES * SAMPLES);
    const { body } = await second.call("GET", `/v1/evals/${jobId}/results`);
    expect(body.results.map(({ result }) => result.evalId)).toEqual(["c0", "c1", "c2", "c3", "c4", "c5"]);
    for (const { result } of body.results) {
      const url = `/apps/app/users/test_user_id/sessions/${result.sessionId}`;
      const session = await second.call("GET", url);
      expect(session.body.events.map(({ author }) => author)).toEqual(["user", "a"]);
    }
  });

  it("asks the models that the server allows, plays users with them, and refuses others", async () => {
    verifies("platform:evaluation:models");
    const lines = ["What else?", "Thank you. </finished>"];
    const answers = new ScriptedModel(
      [({ contents }) => (textOf(contents.at(-1)).startsWith("You play the user") ? (lines.shift() ?? "") : VALID)],
      { model: "test/player", repeatLast: true },
    );
    defaultModelRegistry.register("test/player", answers);
    using servers = useServers({ EVAL_JUDGE_MODELS: "test/player" });
    await using server = await servers.open();
    const scenario = { startingPrompt: "hello", conversationPlan: "Ask what else there is." };
    await server.call("POST", "/apps/app/eval-sets", setOf([{ evalId: "played", conversationScenario: scenario }]));
    const start = { appName: "app", evalSetId: "smoke", evalMetrics: ["tool_call_count_v1"] };
    const { body } = await server.call("POST", "/v1/evals", start);
    expect(await server.ended(body.jobId)).toMatchObject({ status: "succeeded" });
    const { body: page } = await server.call("GET", `/v1/evals/${body.jobId}/results`);
    const url = `/apps/app/users/test_user_id/sessions/${page.results[0]?.result.sessionId}`;
    expect((await server.call("GET", url)).body.events).toHaveLength(4);

    const options = { judgeModelOptions: { judgeModel: "gemini-3.8-flash" } };
    const foreign = { ...MATCH, criterion: { threshold: 1, ...options } };
    const refused = await server.call("POST", "/v1/evals", { ...start, evalMetrics: [foreign] });
    expect([refused.status, refused.body.reason]).toEqual([422, "INVALID_FIELD"]);
    expect(refused.body.message).toContain("test/player");
    const player = { ...start, userSimulatorConfig: { model: "gemini-3.8-flash" } };
    expect((await server.call("POST", "/v1/evals", player)).body.message).toContain("userSimulatorConfig.model");
    const infos = await server.call("GET", "/dev/apps/app/metrics-info");
    expect(infos.body.metricsInfo.map(({ metricName }) => metricName)).toContain("final_response_match_v2");
  });

  it("gives judges the instructions as they are written and the tools of the agents that took part", async () => {
    verifies("platform:evaluation:agents-of-judges");
    const prompts: string[] = [];
    const answer = ({ contents }: LlmRequest) => {
      prompts.push(textOf(contents.at(-1)));
      return "<sentence>You said hello.</sentence>";
    };
    const judge = new ScriptedModel([answer], { model: "test/fact-judge", repeatLast: true });
    defaultModelRegistry.register("test/fact-judge", judge);
    using servers = useServers({ EVAL_JUDGE_MODELS: "test/fact-judge" });
    await using server = await servers.open();
    await server.call("POST", "/apps/app/eval-sets", setOf([{ evalId: "one", conversation: conversation("hello") }]));
    const evaluate = async (metric: object) => {
      const start = { appName: "app", evalSetId: "smoke", evalMetrics: [metric] };
      const { body } = await server.call("POST", "/v1/evals", start);
      expect(await server.ended(body.jobId)).toMatchObject({ status: "succeeded" });
      const { results } = (await server.call("GET", `/v1/evals/${body.jobId}/results`)).body;
      return results[0]?.result.evalMetricResultPerInvocation[0]?.actualInvocation.appDetails;
    };
    const details = await evaluate({ metricName: "hallucinations_v1", threshold: 0.5 });
    expect(details?.agentDetails).toMatchObject({
      a: {
        name: "a",
        instructions: INSTRUCTION,
        toolDeclarations: [{ functionDeclarations: [{ name: "get_weather", description: TOOL.description }] }],
      },
    });
    expect(prompts.at(-1)).toContain(`a:\n${INSTRUCTION}`);
    expect(prompts.at(-1)).toContain("Returns the weather of a city.");
    expect(await evaluate({ metricName: "response_match_score", threshold: 0.5 })).toBeUndefined();
  });

  it("lists no metric that asks a judge where no model may judge", async () => {
    verifies("platform:evaluation:models");
    using servers = useServers({});
    await using server = await servers.open();
    const infos = await server.call("GET", "/dev/apps/app/metrics-info");
    expect(infos.body.metricsInfo.map(({ metricName }) => metricName)).not.toContain("final_response_match_v2");
  });
});
