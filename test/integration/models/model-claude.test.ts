import { describe, expect, it } from "vitest";
import { modelContent, userContent } from "#kit/events/content.ts";
import { Claude } from "#kit/models/claude/claude.ts";
import { LlmRequest } from "#kit/models/llm-request.ts";
import { answerSse, fixture, startWireServer } from "#test/helpers/servers/wire-server.ts";
import { type Address, collect, keySuite, modelSuite, WEATHER_TOOL } from "./model-suite.ts";

/** The mark of the thoughts that this model can read. */
const OWN = { thoughtOf: "claude claude-haiku-4-5" };
const create = (options: Address): Claude => new Claude({ model: "claude-haiku-4-5", apiKey: "test-key", ...options });

describe("Claude", () => {
  modelSuite({ fixtures: "claude", create, provider: "Claude" });
  keySuite({ fixtures: "claude", create, provider: "Claude", keyVariable: "ANTHROPIC_API_KEY" });

  it("sends thinking, tool use and tool results in turns of user and assistant", async () => {
    await using server = await startWireServer(answerSse(fixture("claude/text.sse.txt")));
    const model = create({ baseUrl: server.url });
    const request = new LlmRequest({
      model: model.model,
      config: { topP: 0.9, thinkingConfig: { thinkingBudget: 2000 } },
      contents: [
        modelContent("Good morning!"),
        userContent("Weather in Paris?"),
        {
          role: "model",
          parts: [
            { text: "I must look it up.", thought: true, thoughtSignature: "c2ln", partMetadata: OWN },
            { thought: true, thoughtSignature: "cmVkYWN0ZWQ=", partMetadata: OWN },
            { text: "not signed", thought: true },
            { text: "  " },
            { functionCall: { id: "adk-1.x", name: "get_weather", args: { city: "Paris" } } },
          ],
        },
        userContent("Be quick."),
        {
          role: "user",
          parts: [{ functionResponse: { id: "adk-1.x", name: "get_weather", response: { error: "no such city" } } }],
        },
        { role: "user", parts: [{ inlineData: { mimeType: "image/png", data: "aGk=" } }] },
      ],
    });
    request.appendInstructions("You know the weather.");
    request.appendTools(WEATHER_TOOL);

    const responses = await collect(model, request, { stream: false });

    expect(server.requests.map(({ path, body }) => [path, body])).toEqual([
      [
        "/v1/messages",
        {
          model: "claude-haiku-4-5",
          stream: true,
          max_tokens: 8192,
          top_p: 0.9,
          thinking: { type: "enabled", budget_tokens: 2000 },
          system: "You know the weather.",
          messages: [
            { role: "user", content: [{ type: "text", text: expect.stringContaining("Carry on") }] },
            { role: "assistant", content: [{ type: "text", text: "Good morning!" }] },
            { role: "user", content: [{ type: "text", text: "Weather in Paris?" }] },
            {
              role: "assistant",
              content: [
                { type: "thinking", thinking: "I must look it up.", signature: "c2ln" },
                { type: "redacted_thinking", data: "cmVkYWN0ZWQ=" },
                {
                  type: "tool_use",
                  id: expect.stringMatching(/^call[0-9a-f]{16}$/),
                  name: "get_weather",
                  input: { city: "Paris" },
                },
              ],
            },
            {
              role: "user",
              content: [
                {
                  type: "tool_result",
                  tool_use_id: expect.stringMatching(/^call[0-9a-f]{16}$/),
                  content: '{"error":"no such city"}',
                  is_error: true,
                },
                { type: "text", text: "Be quick." },
                { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } },
              ],
            },
          ],
          tools: [
            {
              name: "get_weather",
              description: "Weather of a city.",
              input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
            },
          ],
        },
      ],
    ]);
    expect(responses).toEqual([
      {
        content: { role: "model", parts: [{ text: "Paris is sunny." }] },
        finishReason: "STOP",
        modelVersion: "claude-haiku-4-5-20251001",
        usageMetadata: {
          promptTokenCount: 24,
          candidatesTokenCount: 6,
          totalTokenCount: 30,
          cachedContentTokenCount: 8,
        },
      },
    ]);
  });

  it("asks for an answer by schema in the form that the API takes", async () => {
    await using server = await startWireServer(answerSse(fixture("claude/text.sse.txt")));
    const model = create({ baseUrl: server.url });
    const responseSchema = { type: "object", properties: { sky: { type: "string" } }, required: ["sky"] };
    await collect(
      model,
      new LlmRequest({ model: model.model, config: { responseSchema }, contents: [userContent("Hi")] }),
    );
    expect(server.requests[0]?.body).toMatchObject({
      output_config: { format: { type: "json_schema", schema: { ...responseSchema, additionalProperties: false } } },
    });
  });

  it("streams thinking with its signature, and calls whole", async () => {
    await using server = await startWireServer(answerSse(fixture("claude/thinking-and-call.sse.txt")));
    const responses = await collect(create({ baseUrl: server.url }));
    const redacted = { thought: true, thoughtSignature: "EmwKAhgBredacted==" };
    const text = { text: "Let me check." };
    const call = { functionCall: { id: "toolu_01A", name: "get_weather", args: { city: "Paris" } } };
    const emptyCall = { functionCall: { id: "toolu_01B", name: "list_cities", args: {} } };
    expect(responses.map(({ content, partial }) => [content?.parts, partial])).toEqual([
      [[{ text: "I must ", thought: true }], true],
      [[{ text: "look it up.", thought: true }], true],
      [[redacted], true],
      [[text], true],
      [[call], true],
      [[emptyCall], true],
      [
        [
          { text: "I must look it up.", thought: true, thoughtSignature: "EqQBCkYsig1==", partMetadata: OWN },
          { ...redacted, partMetadata: OWN },
          text,
          call,
          emptyCall,
        ],
        undefined,
      ],
    ]);
  });

  it("keeps neighbouring thoughts apart, each with its own signature", async () => {
    await using server = await startWireServer(answerSse(fixture("claude/two-thoughts.sse.txt")));
    const responses = await collect(create({ baseUrl: server.url }));
    expect(responses.at(-1)?.content?.parts).toEqual([
      { text: "First.", thought: true, thoughtSignature: "c2lnMQ==", partMetadata: OWN },
      { text: "Second.", thought: true, thoughtSignature: "c2lnMg==", partMetadata: OWN },
      { text: "Done." },
    ]);
  });

  it("drops a call that the limit of length cut off, and says so", async () => {
    await using server = await startWireServer(answerSse(fixture("claude/max-tokens.sse.txt")));
    const responses = await collect(create({ baseUrl: server.url }));
    expect(responses.at(-1)).toMatchObject({
      content: { role: "model", parts: [{ text: "Once upon a" }] },
      errorCode: "MAX_TOKENS",
      errorMessage: "The model stopped before its answer was complete: MAX_TOKENS.",
    });
  });

  it("reports a refusal as an error code", async () => {
    await using server = await startWireServer(answerSse(fixture("claude/refusal.sse.txt")));
    const [response] = await collect(create({ baseUrl: server.url }));
    expect(response).toMatchObject({ finishReason: "SAFETY", errorCode: "SAFETY" });
  });

  it("fails when the stream ends without a reason to", async () => {
    await using server = await startWireServer(answerSse(fixture("claude/unfinished.sse.txt")));
    await expect(collect(create({ baseUrl: server.url }))).rejects.toMatchObject({
      reason: "MODEL_UNAVAILABLE",
      message: "Claude's answer ended before it was complete.",
    });
  });
});
