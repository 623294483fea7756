import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { AiSdkModel, type BaseLlm, Claude, Gemini, type ModelProperties, OpenAiCompatible } from "fairlead/models";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { StreamingMode } from "#kit/core/context/run-config.ts";
import { DirectoryAgentLoader } from "#kit/definitions/loaders/directory-agent-loader.ts";
import { userContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { GenerateContentConfig } from "#kit/models/llm-request.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { Runner } from "#kit/runs/runner.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { createStandalone } from "#services/standalone/create-standalone.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { responsesFormat } from "#test/fakes/providers/responses-format.ts";
import { ErrorLog } from "#test/helpers/error-log.ts";
import { answerJson, answerSse, fixture, startWireServer, type WireServer } from "#test/helpers/servers/wire-server.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";

const apiKey = "test-key";

interface Adapter {
  readonly fixtures: string;
  readonly create: (baseUrl: string, properties: ModelProperties) => BaseLlm;
  /** Where the provider's requests have max tokens, temperature, topK and topP. */
  readonly sent: (body: Record<string, unknown>) => readonly unknown[];
}

const ADAPTERS: Readonly<Record<string, Adapter>> = {
  Gemini: {
    fixtures: "gemini",
    create: (baseUrl, properties) => new Gemini({ model: "gemini-3-flash", apiKey, baseUrl, ...properties }),
    sent: ({ generationConfig }) => {
      const { maxOutputTokens, temperature, topK, topP } = Object(generationConfig);
      return [maxOutputTokens, temperature, topK, topP];
    },
  },
  Claude: {
    fixtures: "claude",
    create: (baseUrl, properties) => new Claude({ model: "claude-sonnet-5-5", apiKey, baseUrl, ...properties }),
    sent: ({ max_tokens, temperature, top_k, top_p }) => [max_tokens, temperature, top_k, top_p],
  },
  OpenAiCompatible: {
    fixtures: "openai",
    create: (baseUrl, properties) => new OpenAiCompatible({ model: "llama3.3", apiKey, baseUrl, ...properties }),
    sent: ({ max_tokens, temperature, top_k, top_p }) => [max_tokens, temperature, top_k, top_p],
  },
  "AiSdkModel, which has no topK here,": {
    fixtures: "openai",
    create: (baseURL, properties) =>
      new AiSdkModel({ languageModel: createOpenAICompatible({ name: "house", baseURL, apiKey })("m"), ...properties }),
    sent: ({ max_tokens, temperature, top_p }) => [max_tokens, temperature, 40, top_p],
  },
};

const OWN: ModelProperties = { maxTokens: 100, temperature: 0.1, topK: 40, topP: 0.8 };

interface Sources {
  readonly own?: ModelProperties;
  readonly process?: ModelProperties;
  readonly request?: GenerateContentConfig;
}

describe.each(Object.entries(ADAPTERS))("%s", (_, { fixtures, create, sent }) => {
  async function sentWith({ own = {}, process, request }: Sources): Promise<readonly unknown[]> {
    await using server = await startWireServer(answerSse(fixture(`${fixtures}/text.sse.txt`)));
    const model = create(server.url, own);
    const agent = new LlmAgent({ name: "helper", model, ...(request && { generateContentConfig: request }) });
    const world = await createAgentWorld(agent, { ...(process && { modelProperties: process }) });
    await world.run("Weather?", { streamingMode: StreamingMode.SSE });
    return sent(Object(server.requests[0]?.body));
  }

  it("sends the model's properties with each request", async () => {
    verifies(
      "records:model-properties:max-tokens",
      "records:model-properties:temperature",
      "records:model-properties:top-k",
      "records:model-properties:top-p",
    );
    expect(await sentWith({ own: OWN })).toEqual([100, 0.1, 40, 0.8]);
  });

  it("sends what the agent sets, else what the model has, else what the process has", async () => {
    verifies("records:model-properties:precedence");
    const process = { maxTokens: 300, temperature: 0.3, topK: 40, topP: 0.3 };
    const own = { maxTokens: 200, temperature: 0.2, topK: 40 };
    expect(await sentWith({ own, process, request: { maxOutputTokens: 100 } })).toEqual([100, 0.2, 40, 0.3]);
  });
});

it("gives the properties of the process to a model of any kind, and reports what it does not know", async () => {
  const model = new ScriptedModel(["done"]);
  const world = await createAgentWorld(new LlmAgent({ name: "helper", model }), {
    modelProperties: { temperature: 0.3 },
  });
  await world.run("go");
  expect(model.requests[0]?.config).toEqual({ temperature: 0.3 });

  verifies("records:model-properties:unknown", "records:model-properties:validation-enabled");
  await using server = await startWireServer(answerSse(fixture("gemini/text.sse.txt")));
  const logger = new ErrorLog();
  const gemini = new Gemini({ model: "gemini-3.8-flash", apiKey, baseUrl: server.url });
  const hosted = await createAgentWorld(new LlmAgent({ name: "helper", model: gemini }), {
    modelProperties: { temperature: 0.3 },
    logger,
  });
  for (const message of ["one", "two"]) await hosted.run(message);
  expect(server.requests.map(({ body }) => Object(body).generationConfig?.temperature)).toEqual([undefined, undefined]);
  expect(logger.warnings).toEqual([
    "new Gemini: temperature is deprecated for Gemini 3.6 and newer models: it is left out.",
  ]);
});

function loaderOf(directory: string): DirectoryAgentLoader {
  const loader = new DirectoryAgentLoader({ directory });
  onTestFinished(() => loader.close());
  return loader;
}

describe("the model of a definition", () => {
  async function run(server: WireServer, model: string): Promise<Record<string, unknown>> {
    vi.stubEnv("OPENAI_BASE_URL", server.url);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { path } = agentsFolder({ "poet/root_agent.yaml": `name: poet\nmodel: ${model}\ninstruction: Write.\n` });
    const loader = loaderOf(path);
    const { app } = await loader.loadAgent("poet");
    const runner = new Runner({ app, runConfig: { autoCreateSession: true } });
    await Array.fromAsync(runner.runAsync({ userId: "ada", sessionId: "s", newMessage: userContent("Write.") }));
    return Object(server.requests.at(-1)?.body);
  }

  it("has properties of its own", async () => {
    verifies("records:model-properties:validation-fail-fast");
    await using server = await startWireServer(answerSse(fixture("openai/text.sse.txt")));
    const body = await run(
      server,
      "{ model: openai/llama3.3, max_tokens: 100, temperature: 0.1, topK: 40, topP: 0.8 }",
    );
    expect(body).toMatchObject({ model: "llama3.3", max_tokens: 100, temperature: 0.1, top_k: 40, top_p: 0.8 });
    expect(await run(server, "openai/llama3.3")).not.toHaveProperty("temperature");
  });

  it("has a choice of OpenAI's APIs", async () => {
    verifies("authentication:model:responses");
    for (const model of ["{ model: gpt-6.1-sol, api: responses }", "openai-responses/gpt-6.1-sol"]) {
      const answered = responsesFormat(() => true).whole({ kind: "text", pieces: ["A poem."] });
      await using server = await startWireServer(answerJson(JSON.stringify(answered)));
      const body = await run(server, model);
      expect([server.requests[0]?.path, body["model"], body["store"]]).toEqual(["/responses", "gpt-6.1-sol", false]);
    }
    await using server = await startWireServer(answerSse(fixture("openai/text.sse.txt")));
    expect(await run(server, "{ model: openai/llama3.3, api: chat }")).toHaveProperty("messages");
  });

  const BROKEN = [
    ["{ model: claude-sonnet-5-5, temperature: 3 }", "temperature must be a number from 0 to 2, not 3"],
    ["{ model: gemini-3.8-flash, topP: 0.5 }", "topP is deprecated for Gemini 3.6 and newer models"],
    ["{ model: nobody, topP: 0.5 }", 'No model is registered for "nobody"'],
    ["{ temperature: 1 }", '"model" is missing'],
    ["{ model: gemini-3.8-flash, temprature: 1 }", 'Unknown field "temprature"'],
    ["{ model: gemini-3.8-flash, baseUrl: http://elsewhere }", "never taken from a definition"],
    ["{ model: gemini-3.8-flash, observability: { includeContent: true } }", "set TRACE_CONTENT"],
    ["{ model: gemini-3.8-flash, provider: gemini, api: responses }", "Only models of openai have a choice of APIs"],
    ["{ model: gemini-3.8-flash, api: both }", "Expected chat or responses"],
    ["5", "Expected text or a map of fields, found 5"],
  ] as const;

  it.each(BROKEN)("is refused with its place in the file: %s", async (model, problem) => {
    const { path } = agentsFolder({ "poet/root_agent.yaml": `name: poet\ninstruction: Write.\nmodel: ${model}\n` });
    const loader = loaderOf(path);
    const failure: unknown = await loader.loadAgent("poet").catch((error: unknown) => error);
    expect(failure).toMatchObject({ reason: "CONFIGURATION", problems: [{ line: 3 }] });
    expect(String(failure)).toContain(problem);
  });

  it("is what it is with what its properties leave out", async () => {
    await using server = await startWireServer(answerSse(fixture("openai/text.sse.txt")));
    const emit = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    onTestFinished(() => emit.mockRestore());
    const body = await run(server, "{ model: openai/llama3.3, temperature: 3, validation: { failFast: false } }");
    expect([body["temperature"], emit.mock.calls.map(([text]) => text)]).toEqual([
      undefined,
      ["new OpenAiCompatible: temperature must be a number from 0 to 2, not 3: it is left out."],
    ]);
  });
});

describe("the settings of a server", () => {
  const turn = async (settings: Readonly<Record<string, string>>, model: string): Promise<unknown> => {
    await using provider = await startWireServer(answerSse(fixture("openai/text.sse.txt")));
    vi.stubEnv("OPENAI_BASE_URL", provider.url);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { path } = agentsFolder({ "poet/root_agent.yaml": `name: poet\nmodel: ${model}\ninstruction: Write.\n` });
    const stores = ["SESSION", "ARTIFACT", "MEMORY", "EVAL", "CREDENTIAL"].map((store) => [`${store}_STORE`, "memory"]);
    const given = { PORT: "0", ...Object.fromEntries(stores), ...settings };
    const config = loadConfig(standaloneConfigSchema, given);
    const agentLoader = new DirectoryAgentLoader({ directory: path });
    await using server = await createStandalone({ config, agentLoader, logger: silentLogger });
    const post = (route: string, body: object) =>
      fetch(`${server.url}${route}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    await post("/apps/poet/users/ada/sessions/s", {});
    const newMessage = { role: "user", parts: [{ text: "Write." }] };
    const answer = await post("/run_sse", {
      appName: "poet",
      userId: "ada",
      sessionId: "s",
      newMessage,
      streaming: true,
    });
    expect(await answer.text()).not.toContain("errorCode");
    return provider.requests.at(-1)?.body;
  };
  const SETTINGS = { MODEL_MAX_TOKENS: "300", MODEL_TEMPERATURE: "0.3", MODEL_TOP_K: "30", MODEL_TOP_P: "0.7" };

  it("are in the provider's request, and give way to what the agent's model sets", async () => {
    verifies("records:model-properties:precedence");
    expect(await turn(SETTINGS, "openai/llama3.3")).toMatchObject({
      ...{ max_tokens: 300, temperature: 0.3, top_k: 30, top_p: 0.7 },
    });
    expect(await turn(SETTINGS, "{ model: openai/llama3.3, maxTokens: 100, topP: 0.8 }")).toMatchObject({
      ...{ max_tokens: 100, temperature: 0.3, top_k: 30, top_p: 0.8 },
    });
    expect(await turn({}, "openai/llama3.3")).not.toHaveProperty("temperature");
  });
});
