import { inspect } from "node:util";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { type AiSdkLanguageModel, AiSdkModel } from "fairlead/models";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Content, type Part, userContent } from "#kit/events/content.ts";
import { LlmRequest } from "#kit/models/llm-request.ts";
import { answerJson, answerSse, fixture, startWireServer } from "#test/helpers/servers/wire-server.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { type Address, collect, modelSuite, WEATHER_TOOL } from "./model-suite.ts";

const apiKey = "test-key";

const FAMILIES: readonly {
  readonly name: string;
  readonly fixtures: string;
  readonly provider: string;
  readonly create: (address: Pick<Address, "baseUrl" | "headers">) => AiSdkLanguageModel;
}[] = [
  {
    name: "openai-compatible",
    fixtures: "openai",
    provider: "house.chat",
    create: ({ baseUrl = "http://127.0.0.1:1", headers = {} }) =>
      createOpenAICompatible({ name: "house", baseURL: baseUrl, apiKey, headers, includeUsage: true })("gpt-5-mini"),
  },
  {
    name: "anthropic",
    fixtures: "claude",
    provider: "anthropic.messages",
    create: ({ baseUrl = "http://127.0.0.1:1", headers = {} }) =>
      createAnthropic({ baseURL: baseUrl, apiKey, headers })("claude-sonnet-4-5"),
  },
  {
    name: "google",
    fixtures: "gemini",
    provider: "google.generative-ai",
    create: ({ baseUrl = "http://127.0.0.1:1", headers = {} }) =>
      createGoogle({ baseURL: baseUrl, apiKey, headers })("gemini-3-flash"),
  },
];

function modelOf(create: (typeof FAMILIES)[number]["create"], { baseUrl, headers, ...own }: Address = {}): AiSdkModel {
  return new AiSdkModel({
    languageModel: create({ baseUrl, headers }),
    ...(own.retry && { retry: own.retry }),
    ...(own.sleep && { sleep: own.sleep }),
  });
}

describe.each(FAMILIES)("AiSdkModel of @ai-sdk/$name", ({ fixtures, provider, create }) => {
  modelSuite({ fixtures, create: (address) => modelOf(create, address), provider: `The AI SDK's ${provider}` });
});

const answered = (parts: readonly Part[] = []): Content => ({
  role: "user",
  parts: parts.flatMap(({ functionCall }) =>
    functionCall === undefined ? [] : [{ functionResponse: { ...functionCall, response: { result: "sunny" } } }],
  ),
});

/** A round of tools: what the model says, the responses to its calls, and what it is asked then. */
async function round(model: AiSdkModel): Promise<readonly Part[]> {
  const contents = [userContent("Weather?")];
  const responses = await collect(model, new LlmRequest({ model: model.model, contents }));
  const content = responses.at(-1)?.content ?? {};
  await collect(
    model,
    new LlmRequest({ model: model.model, contents: [...contents, content, answered(content.parts)] }),
  );
  return content.parts ?? [];
}

describe("AiSdkModel", () => {
  it("gives thoughts, their signatures and parallel calls, and sends them back as they came", async () => {
    verifies("authentication:model:ai-sdk");
    await using server = await startWireServer(
      answerSse(fixture("claude/thinking-and-call.sse.txt")),
      answerSse(fixture("claude/text.sse.txt")),
    );
    const anthropic = createAnthropic({ baseURL: server.url, apiKey });
    const parts = await round(new AiSdkModel({ languageModel: anthropic("claude-sonnet-4-5") }));
    expect(parts.map(({ partMetadata: _, ...part }) => part)).toEqual([
      { text: "I must look it up.", thought: true },
      { text: "", thought: true },
      { text: "Let me check." },
      { functionCall: { id: "toolu_01A", name: "get_weather", args: { city: "Paris" } } },
      { functionCall: { id: "toolu_01B", name: "list_cities", args: {} } },
    ]);
    expect(server.requests[1]?.body).toMatchObject({
      messages: [
        { role: "user" },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "I must look it up.", signature: "EqQBCkYsig1==" },
            { type: "redacted_thinking", data: "EmwKAhgBredacted==" },
            { type: "text", text: "Let me check." },
            { type: "tool_use", id: "toolu_01A", name: "get_weather", input: { city: "Paris" } },
            { type: "tool_use", id: "toolu_01B", name: "list_cities", input: {} },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "toolu_01A", content: "sunny" },
            { type: "tool_result", tool_use_id: "toolu_01B", content: "sunny" },
          ],
        },
      ],
    });
  });

  it("sends the encrypted thoughts of OpenAI's Responses API back", async () => {
    const stream = fixture("openai/responses-call.sse.txt");
    await using server = await startWireServer(answerSse(stream));
    const openai = createOpenAI({ baseURL: server.url, apiKey });
    const providerOptions = { openai: { store: false, include: ["reasoning.encrypted_content"] } };
    const parts = await round(new AiSdkModel({ languageModel: openai("gpt-5-mini"), providerOptions }));
    expect(parts.map(({ partMetadata: _, ...part }) => part)).toEqual([
      { text: "I must look it up.", thought: true },
      { functionCall: { id: "call_1", name: "get_weather", args: { city: "Paris" } } },
    ]);
    expect(server.requests[1]?.body).toMatchObject({
      store: false,
      input: [
        { role: "user" },
        {
          type: "reasoning",
          encrypted_content: "gAAAAsecret",
          summary: [{ type: "summary_text", text: "I must look it up." }],
        },
        { type: "function_call", call_id: "call_1", name: "get_weather", arguments: '{"city":"Paris"}' },
        { type: "function_call_output", call_id: "call_1", output: "sunny" },
      ],
    });
  });

  it("leaves out the thoughts of other models", async () => {
    await using server = await startWireServer(answerSse(fixture("claude/text.sse.txt")));
    const model = new AiSdkModel({
      languageModel: createAnthropic({ baseURL: server.url, apiKey })("claude-sonnet-4-5"),
    });
    const foreign = { aiSdk: { provider: "google.generative-ai", metadata: { anthropic: { signature: "foreign" } } } };
    const parts = [
      { text: "hm", thought: true, thoughtSignature: "R0VNSU5J" },
      { text: "hm", thought: true, partMetadata: foreign },
      { text: "Hi." },
    ];
    const contents = [userContent("Hi"), { role: "model", parts }, userContent("And now?")];
    await collect(model, new LlmRequest({ model: model.model, contents }));
    expect(server.requests[0]?.body).toMatchObject({
      messages: [{ role: "user" }, { role: "assistant", content: [{ type: "text", text: "Hi." }] }, { role: "user" }],
    });
  });

  it("sends instructions, settings, tools, a schema and files", async () => {
    await using server = await startWireServer(answerJson(fixture("openai/text.json")));
    const provider = createOpenAICompatible({
      name: "house",
      baseURL: server.url,
      apiKey,
      supportsStructuredOutputs: true,
    });
    const model = new AiSdkModel({ languageModel: provider("llama"), supportsOutputSchemaWithTools: true });
    const responseSchema = { type: "object", properties: { sky: { type: "string" } } };
    const request = new LlmRequest({
      model: model.model,
      config: { temperature: 0.2, maxOutputTokens: 100, stopSequences: ["END"], responseSchema },
      contents: [
        {
          role: "user",
          parts: [
            { text: "What is this?" },
            { inlineData: { mimeType: "image/png", data: "aGk=" } },
            { inlineData: { mimeType: "text/csv", data: Buffer.from("a,b").toString("base64") } },
            { fileData: { fileUri: "https://example.com/a.jpg", mimeType: "image/jpeg" } },
          ],
        },
      ],
    });
    request.appendInstructions("You know the weather.");
    request.appendTools(WEATHER_TOOL);
    const responses = await collect(model, request, { stream: false });
    expect(server.requests[0]?.body).toMatchObject({
      model: "llama",
      temperature: 0.2,
      max_tokens: 100,
      stop: ["END"],
      response_format: { type: "json_schema", json_schema: { schema: responseSchema } },
      tools: [{ type: "function", function: { name: "get_weather", parameters: { required: ["city"] } } }],
      messages: [
        { role: "system", content: "You know the weather." },
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
            { type: "text", text: "a,b" },
            { type: "image_url", image_url: { url: "https://example.com/a.jpg" } },
          ],
        },
      ],
    });
    expect(responses).toEqual([
      {
        content: { role: "model", parts: [{ text: "Paris is sunny." }] },
        finishReason: "STOP",
        modelVersion: "gpt-5-mini-2025-08-07",
        usageMetadata: {
          promptTokenCount: 12,
          candidatesTokenCount: 4,
          thoughtsTokenCount: 16,
          totalTokenCount: 32,
          cachedContentTokenCount: 8,
        },
      },
    ]);
  });

  it("puts a note in the place of files that the provider does not take", async () => {
    await using server = await startWireServer(answerSse(fixture("openai/text.sse.txt")));
    const model = new AiSdkModel({
      languageModel: createOpenAICompatible({ name: "house", baseURL: server.url })("llama"),
    });
    const files = [
      { inlineData: { mimeType: "audio/ogg", data: "aGk=", displayName: "song.ogg" } },
      { fileData: { fileUri: "gs://bucket/a.pdf", mimeType: "application/pdf" } },
    ];
    const contents = [{ role: "user", parts: [{ text: "Listen." }, ...files] }];
    await collect(model, new LlmRequest({ model: model.model, contents }));
    expect(server.requests.map(({ body }) => body)).toMatchObject([
      {
        messages: [
          {
            content: [
              { type: "text", text: "Listen." },
              { type: "text", text: expect.stringContaining("song.ogg, of type audio/ogg") },
              { type: "text", text: expect.stringContaining("gs://bucket/a.pdf") },
            ],
          },
        ],
      },
    ]);
  });

  it("ends with the signal even if the model pays no attention to it", async () => {
    const model = new AiSdkModel({ languageModel: languageModelOf(new ReadableStream({})) });
    const controller = new AbortController();
    const reason = new Error("the user pressed stop");
    const answer = collect(model, undefined, { signal: controller.signal });
    controller.abort(reason);
    await expect(answer).rejects.toBe(reason);
  });

  it("fails when a stream ends without an end of the answer", async () => {
    const parts: LanguageModelV4StreamPart[] = [{ type: "text-delta", id: "0", delta: "Half an" }];
    const model = new AiSdkModel({
      languageModel: languageModelOf(ReadableStream.from(parts)),
      retry: { maxAttempts: 1 },
    });
    await expect(collect(model)).rejects.toMatchObject({
      reason: "MODEL_UNAVAILABLE",
      message: "The model's answer ended before it was complete.",
    });
  });

  it("keeps the key and the prompt out of errors and their causes", async () => {
    const key = "sk-ant-planted-0123456789";
    const body = JSON.stringify({
      type: "error",
      error: { type: "authentication_error", message: `wrong key ${key}` },
    });
    await using server = await startWireServer(answerJson(body, 401));
    const model = new AiSdkModel({
      languageModel: createAnthropic({ baseURL: server.url, apiKey: key })("claude-sonnet-4-5"),
    });
    const request = new LlmRequest({ model: model.model, contents: [userContent("a planted prompt")] });
    const error: unknown = await collect(model, request).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ reason: "MODEL_AUTH_ERROR" });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/planted/);
  });

  it("reports a provider without a key as such", async () => {
    vi.stubEnv("ANTHROPIC_API_KEY", undefined);
    onTestFinished(() => void vi.unstubAllEnvs());
    const model = new AiSdkModel({
      languageModel: createAnthropic({ baseURL: "http://127.0.0.1:1" })("claude-sonnet-4-5"),
    });
    await expect(collect(model)).rejects.toMatchObject({ reason: "MODEL_KEY_MISSING" });
  });

  it.each([
    ["a name", { languageModel: "openai/gpt-5" }],
    [
      "a model of an older specification",
      { languageModel: { ...languageModelOf(new ReadableStream({})), specificationVersion: "v3" } },
    ],
    ["nothing", {}],
  ])("refuses %s", (_, options) => {
    // Callers whose types are not checked can pass anything.
    expect(() => new AiSdkModel(options as never)).toThrow(
      expect.objectContaining({ reason: "INVALID_FIELD", message: expect.stringContaining("specification v4") }),
    );
  });
});

/** A model that answers with this stream. */
function languageModelOf(stream: ReadableStream<LanguageModelV4StreamPart>): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: "house",
    modelId: "house-model",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("not asked for")),
    doStream: async () => ({ stream }),
  };
}
