import { describe, expect, it } from "vitest";
import { StaticAgentLoader } from "#kit/definitions/loaders/static-agent-loader.ts";
import { textOf, type UsageMetadata } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { LlmRequest } from "#kit/models/llm-request.ts";
import { defaultModelRegistry } from "#kit/models/registry/model-registry.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { UuidV7Generator } from "#kit/platform/id-generator.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { createKey } from "#services/gateway/identity/keys/create-key.ts";
import { SCOPES } from "#services/gateway/identity/scopes.ts";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { createStandalone } from "#services/standalone/create-standalone.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { openKeyStore } from "#shared/stores/key-store.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder, RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";

const VALID = '{"reasoning":"equal","is_the_agent_response_valid":"valid"}';
const AGENT_CALL = 10;
const JUDGE_CALL = 100;
const SAMPLES = 3;

const answerOf = (text: string, tokens: number) => ({
  content: { role: "model", parts: [{ text }] },
  usageMetadata: { promptTokenCount: tokens, totalTokenCount: tokens } satisfies UsageMetadata,
});

/** Judges every answer as valid, and plays a user who asks one more thing. */
const judgeOrPlay = ({ contents }: LlmRequest) => {
  const prompt = textOf(contents.at(-1));
  if (!prompt.startsWith("You play the user")) return answerOf(VALID, JUDGE_CALL);
  return answerOf(prompt.includes("user: And then?") ? "</finished>" : "And then?", JUDGE_CALL);
};

interface Body {
  readonly jobId: string;
  readonly status: string;
  readonly error?: { readonly reason: string; readonly message: string };
  readonly usage: readonly { readonly scope: string; readonly limit: string; readonly used: number }[];
  readonly results: readonly object[];
}

let servers = 0;

async function startServer(rules: string) {
  servers += 1;
  const judgeName = `test/metered-judge-${servers}`;
  const judge = new ScriptedModel([judgeOrPlay], { model: judgeName, repeatLast: true });
  defaultModelRegistry.register(judgeName, judge);
  const folder = agentsFolder({ "quotas.yaml": rules }).path;
  const config = loadConfig(standaloneConfigSchema, {
    ...{ PORT: "0", AUTH: "api-key", DATA_DIR: folder, QUOTAS_FILE: `${folder}/quotas.yaml` },
    ...{ EVAL_JUDGE_MODELS: judgeName, EVAL_PARALLEL_CASES: "1" },
  });
  const stack = new AsyncDisposableStack();
  const model = new ScriptedModel([answerOf("answer", AGENT_CALL)], { repeatLast: true });
  const agentLoader = new StaticAgentLoader([new LlmAgent({ name: "echo", model })]);
  const server = stack.use(await createStandalone({ config, agentLoader, logger: new RecordingLogger() }));
  const keys = await openKeyStore({ config, stack });
  const add = async (userId: string | undefined) => {
    const scopes = SCOPES.filter((scope) => scope !== "users:all" || userId === undefined);
    const { record, text } = createKey(
      { name: "test", scopes, userId },
      { clock: systemClock, ids: new UuidV7Generator() },
    );
    await keys.create(record);
    return { text, id: record.id };
  };
  const call = async (key: string, method: "GET" | "POST", url: string, payload?: object) => {
    const headers = { authorization: `Bearer ${key}` };
    const response = await server.gateway.inject({ method, url, headers, ...(payload !== undefined && { payload }) });
    return { status: response.statusCode, body: response.json() as Body };
  };
  const operator = await add(undefined);
  const finalResponse = { role: "model", parts: [{ text: "answer" }] };
  const conversation = [{ userContent: { role: "user", parts: [{ text: "hello" }] }, finalResponse }];
  const scenario = { startingPrompt: "hello", conversationPlan: "Ask what comes then." };
  const sets = {
    judged: ["one", "two"].map((evalId) => ({ evalId, conversation })),
    played: [{ evalId: "played", conversationScenario: scenario }],
  };
  for (const [evalSetId, evalCases] of Object.entries(sets)) {
    const evalSet = { evalSetId, name: evalSetId, evalCases };
    expect((await call(operator.text, "POST", "/apps/echo/eval-sets", { evalSet })).status).toBe(200);
  }
  const criterion = { threshold: 0.8, judgeModelOptions: { numSamples: SAMPLES } };
  const evaluate = async (key: string, evalSetId: keyof typeof sets): Promise<Body> => {
    const metric = evalSetId === "judged" ? { metricName: "final_response_match_v2", criterion } : "tool_call_count_v1";
    const { body } = await call(key, "POST", "/v1/evals", { appName: "echo", evalSetId, evalMetrics: [metric] });
    await server.gateway.inject({ url: `/v1/evals/${body.jobId}/stream`, headers: { authorization: `Bearer ${key}` } });
    return (await call(key, "GET", `/v1/evals/${body.jobId}`)).body;
  };
  /** The tokens of a day by scope. */
  const used = async (names: string) => {
    const { body } = await call(operator.text, "GET", `/v1/usage?appName=echo&${names}`);
    return Object.fromEntries(body.usage.map(({ scope, limit, used: amount }) => [`${scope} ${limit}`, amount]));
  };
  return { add, call, evaluate, used, judge, model, operator, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const LIMIT = "{ tokensPerDay: 100000 }";
const ALL = `defaults: { key: ${LIMIT}, user: { tokensPerDay: 100000, usdPerDay: 100 }, app: ${LIMIT}, tenant: ${LIMIT} }
prices: { test/*: { input: 1000, output: 1000 }, "*": { input: 0, output: 0 } }`;

describe("judges and simulated users of evaluations on a server", { timeout: 60_000 }, () => {
  it("count for the key, the user, the app and the tenant of the requester", async () => {
    verifies("quotas:evaluations");
    await using server = await startServer(ALL);
    const ada = await server.add("ada");
    expect(await server.evaluate(ada.text, "judged")).toMatchObject({ status: "succeeded" });
    const judged = 2 * (AGENT_CALL + SAMPLES * JUDGE_CALL);
    const names = `userId=ada&keyId=${ada.id}`;
    expect(await server.used(names)).toEqual({
      "key tokensPerDay": judged,
      "user tokensPerDay": judged,
      // At 1000 USD for a million tokens; the agent's model is free.
      "user usdPerDay": (2 * SAMPLES * JUDGE_CALL) / 1000,
      "app tokensPerDay": judged,
      "tenant tokensPerDay": judged,
    });

    expect(await server.evaluate(ada.text, "played")).toMatchObject({ status: "succeeded" });
    const all = judged + 2 * AGENT_CALL + 2 * JUDGE_CALL;
    expect(await server.used(names)).toMatchObject({ "key tokensPerDay": all, "user tokensPerDay": all });
    expect(await server.used("userId=bob")).toMatchObject({ "user tokensPerDay": 0, "tenant tokensPerDay": all });
  });

  it("count for no user if the requester reaches all users; its turns count for the user of the case", async () => {
    verifies("quotas:evaluations");
    await using server = await startServer(ALL);
    expect(await server.evaluate(server.operator.text, "judged")).toMatchObject({ status: "succeeded" });
    expect(await server.used(`userId=test_user_id&keyId=${server.operator.id}`)).toMatchObject({
      "key tokensPerDay": 2 * (AGENT_CALL + SAMPLES * JUDGE_CALL),
      "user tokensPerDay": 2 * AGENT_CALL,
      "app tokensPerDay": 2 * (AGENT_CALL + SAMPLES * JUDGE_CALL),
    });
  });

  it.each([
    // The second case's second sample has no room, and the message of the simulated user after the second turn.
    ["judged", 2 * AGENT_CALL + (SAMPLES + 1) * JUDGE_CALL],
    ["played", 2 * AGENT_CALL + JUDGE_CALL],
  ] as const)("end an evaluation of the %s set when the budget is used up, and say which", async (evalSetId, max) => {
    verifies("quotas:evaluations");
    await using server = await startServer(`defaults: { key: { tokensPerDay: ${max} } }`);
    const ada = await server.add("ada");
    const job = await server.evaluate(ada.text, evalSetId);
    expect(job).toMatchObject({ status: "failed", error: { reason: "QUOTA_EXCEEDED" } });
    expect(job.error?.message).toContain(`this API key is used up: tokensPerDay is ${max}`);
    const { "key tokensPerDay": used = 0 } = await server.used(`keyId=${ada.id}`);
    expect(used).toBe(max);
    const again = await server.call(ada.text, "POST", "/v1/evals", { appName: "echo", evalSetId });
    expect([again.status, (again.body as unknown as { readonly reason: string }).reason]).toEqual([
      429,
      "QUOTA_EXCEEDED",
    ]);
  });

  it("are not asked for another case when the agent's own budget is used up: the evaluation ends and says why", async () => {
    verifies("quotas:evaluations");
    await using server = await startServer(`defaults: { key: { tokensPerDay: ${AGENT_CALL + SAMPLES * JUDGE_CALL} } }`);
    const ada = await server.add("ada");
    const job = await server.evaluate(ada.text, "judged");
    expect(job).toMatchObject({ status: "failed", error: { reason: "QUOTA_EXCEEDED" } });
    expect([server.model.callCount, server.judge.callCount]).toEqual([1, SAMPLES]);
    const { body } = await server.call(ada.text, "GET", `/v1/evals/${job.jobId}/results`);
    expect(body.results).toEqual([expect.objectContaining({ index: 0 })]);
  });
});
