import { describe, expect, it } from "vitest";
import { userContent } from "#kit/events/content.ts";
import { LlmRequest } from "#kit/models/llm-request.ts";
import { OpenAiCompatible, topKFor } from "#kit/models/openai/openai-compatible.ts";
import { answerJson, answerSse, fixture, startWireServer } from "#test/helpers/servers/wire-server.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { type Address, collect, keySuite, modelSuite, WEATHER_TOOL } from "./model-suite.ts";

const create = (options: Address): OpenAiCompatible =>
  new OpenAiCompatible({ model: "gpt-5-mini", apiKey: "test-key", ...options });
const USAGE = {
  promptTokenCount: 12,
  candidatesTokenCount: 4,
  thoughtsTokenCount: 16,
  totalTokenCount: 32,
  cachedContentTokenCount: 8,
};

describe("OpenAI-compatible", () => {
  modelSuite({ fixtures: "openai", create, provider: "The OpenAI-compatible server" });
  keySuite({ fixtures: "openai", create, provider: "The OpenAI-compatible server", keyVariable: "OPENAI_API_KEY" });

  it("sends topK to a compatible server", async () => {
    verifies("records:model-requests:dialects");
    await using server = await startWireServer(answerJson(fixture("openai/text.json")));
    const model = create({ baseUrl: server.url });
    const request = new LlmRequest({
      model: model.model,
      config: { topK: 40, topP: 0.9 },
      contents: [userContent("Hi")],
    });
    await collect(model, request, { stream: false });
    expect(server.requests.map(({ body }) => body)).toEqual([
      { model: "gpt-5-mini", stream: false, messages: [{ role: "user", content: "Hi" }], top_k: 40, top_p: 0.9 },
    ]);
  });

  it("leaves topK out for OpenAI's own API, which has no such parameter", () => {
    verifies("records:model-requests:dialects");
    const request = new LlmRequest({ model: "gpt-5-mini", config: { topK: 40 } });
    expect(topKFor("https://api.openai.com/v1", request)).toEqual({});
  });

  it("sends a round of tool calls, media and settings as chat completions", async () => {
    await using server = await startWireServer(answerJson(fixture("openai/text.json")));
    const model = create({ baseUrl: server.url });
    const responseSchema = {
      type: "object",
      properties: { sky: { type: "string" } },
      required: ["sky"],
      additionalProperties: false,
    };
    const request = new LlmRequest({
      model: model.model,
      config: { temperature: 0.2, maxOutputTokens: 100, stopSequences: ["END"], responseSchema },
      contents: [
        userContent("Weather in Paris and Rome?"),
        {
          role: "model",
          parts: [
            { text: "hidden", thought: true },
            { text: "Let me see." },
            { functionCall: { id: "adk-1", name: "get_weather", args: { city: "Paris" } } },
            { functionCall: { id: "call_2", name: "get_weather", args: { city: "Rome" } } },
          ],
        },
        {
          role: "user",
          parts: [
            { functionResponse: { id: "adk-1", name: "get_weather", response: { sky: "clear", celsius: 21 } } },
            { text: "And this one?" },
            { functionResponse: { id: "call_2", name: "get_weather", response: { result: "rain" } } },
            { inlineData: { mimeType: "image/png", data: "aGk=" } },
          ],
        },
      ],
    });
    request.appendInstructions("You know the weather.");
    request.appendTools(WEATHER_TOOL);

    const responses = await collect(model, request, { stream: false });

    expect(server.requests.map(({ path, body }) => [path, body])).toEqual([
      [
        "/chat/completions",
        {
          model: "gpt-5-mini",
          stream: false,
          messages: [
            { role: "system", content: "You know the weather." },
            { role: "user", content: "Weather in Paris and Rome?" },
            {
              role: "assistant",
              content: "Let me see.",
              tool_calls: [
                { id: "adk-1", type: "function", function: { name: "get_weather", arguments: '{"city":"Paris"}' } },
                { id: "call_2", type: "function", function: { name: "get_weather", arguments: '{"city":"Rome"}' } },
              ],
            },
            { role: "tool", tool_call_id: "adk-1", content: '{"sky":"clear","celsius":21}' },
            { role: "tool", tool_call_id: "call_2", content: "rain" },
            {
              role: "user",
              content: [
                { type: "text", text: "And this one?" },
                { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
              ],
            },
          ],
          tools: [
            {
              type: "function",
              function: {
                name: "get_weather",
                description: "Weather of a city.",
                parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
              },
            },
          ],
          temperature: 0.2,
          max_completion_tokens: 100,
          stop: ["END"],
          response_format: {
            type: "json_schema",
            json_schema: { name: "response", schema: responseSchema, strict: true },
          },
        },
      ],
    ]);
    expect(responses).toEqual([
      {
        content: { role: "model", parts: [{ text: "Paris is sunny." }] },
        finishReason: "STOP",
        modelVersion: "gpt-5-mini-2025-08-07",
        usageMetadata: USAGE,
      },
    ]);
  });

  it("asks streams for usage and puts it on the complete response", async () => {
    await using server = await startWireServer(answerSse(fixture("openai/text.sse.txt")));
    const responses = await collect(create({ baseUrl: server.url }));
    expect(server.requests[0]?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
    expect(responses.at(-1)).toEqual({
      content: { role: "model", parts: [{ text: "Paris is sunny." }] },
      finishReason: "STOP",
      modelVersion: "gpt-5-mini-2025-08-07",
      usageMetadata: USAGE,
    });
  });

  it("gives calls whole, with the same ids on the chunk and on the complete response", async () => {
    await using server = await startWireServer(answerSse(fixture("openai/calls.sse.txt")));
    const responses = await collect(create({ baseUrl: server.url }));
    const calls = [
      { functionCall: { id: "call_A1", name: "get_weather", args: { city: "Paris" } } },
      { functionCall: { id: "call_A2", name: "get_weather", args: { city: "Rome" } } },
    ];
    expect(responses.map(({ content, partial }) => [content?.parts, partial])).toEqual([
      [calls, true],
      [calls, undefined],
    ]);
  });

  it("gives the thinking of compatible servers as thoughts", async () => {
    await using server = await startWireServer(answerSse(fixture("openai/reasoning.sse.txt")));
    const responses = await collect(create({ baseUrl: server.url }));
    expect(responses.at(-1)?.content?.parts).toMatchObject([
      { text: "Let me think.", thought: true },
      { text: "Sunny." },
    ]);
  });

  it("keeps a call whose arguments are not JSON, and says so beside it", async () => {
    await using server = await startWireServer(answerSse(fixture("openai/broken-arguments.sse.txt")));
    const responses = await collect(create({ baseUrl: server.url }));
    expect(responses.at(-1)?.content?.parts).toEqual([
      {
        functionCall: { id: "call_B1", name: "get_weather", args: {} },
        partMetadata: {
          unreadableArguments: expect.stringMatching(
            /^JSON parsing failed: arguments of the call of get_weather\. They were: \{/,
          ),
        },
      },
    ]);
  });

  it("drops a call that the limit of length cut off, and says so", async () => {
    await using server = await startWireServer(answerSse(fixture("openai/cut-off-arguments.sse.txt")));
    const responses = await collect(create({ baseUrl: server.url }));
    expect(responses.at(-1)).toMatchObject({
      content: { role: "model", parts: [{ text: "Let me see. " }] },
      errorCode: "MAX_TOKENS",
      finishReason: "MAX_TOKENS",
    });
  });

  it("reports a refusal as text with an error code", async () => {
    await using server = await startWireServer(answerJson(fixture("openai/refusal.json")));
    const [response] = await collect(create({ baseUrl: server.url }), undefined, { stream: false });
    expect(response).toMatchObject({
      content: { parts: [{ text: "I can't help with that." }] },
      errorCode: "SAFETY",
      errorMessage: "I can't help with that.",
    });
  });

  it("fails when the stream ends without a reason to", async () => {
    await using server = await startWireServer(answerSse(fixture("openai/unfinished.sse.txt")));
    await expect(collect(create({ baseUrl: server.url }))).rejects.toMatchObject({
      reason: "MODEL_UNAVAILABLE",
      message: "The model's answer ended before it was complete.",
    });
  });

  it("waits as long as Retry-After asks, and fails immediately when that is too long", async () => {
    const waits: number[] = [];
    const failure = fixture("openai/error-429.json");
    await using server = await startWireServer(
      answerJson(failure, 429, { "retry-after": "7" }),
      answerJson(failure, 429, { "retry-after": "3600" }),
    );
    const model = create({ baseUrl: server.url, sleep: async (milliseconds) => void waits.push(milliseconds) });
    await expect(collect(model)).rejects.toMatchObject({ reason: "MODEL_RATE_LIMITED", retryDelay: 3_600_000 });
    expect([waits, server.requests.length]).toEqual([[7000], 2]);
  });

  it("needs no key for a custom server", async () => {
    await using server = await startWireServer(answerSse(fixture("openai/text.sse.txt")));
    const credentials = (name: string): string | undefined => (name === "OPENAI_BASE_URL" ? server.url : undefined);
    const responses = await collect(new OpenAiCompatible({ model: "llama", credentials }));
    expect(responses.at(-1)?.content?.parts).toEqual([{ text: "Paris is sunny." }]);
  });
});
