import { OpenAiCompatible } from "fairlead/models";
import { describe, expect, it } from "vitest";
import { StreamingMode } from "#kit/core/context/run-config.ts";
import { type Content, textOf, userContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { LlmRequest } from "#kit/models/llm-request.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import type { Said } from "#test/fakes/providers/provider-format.ts";
import { responsesFormat } from "#test/fakes/providers/responses-format.ts";
import { startProvider } from "#test/fakes/providers/start-provider.ts";
import { answerJson, answerSse, fixture, startWireServer } from "#test/helpers/servers/wire-server.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { collect } from "./model-suite.ts";

const FORMAT = responsesFormat(
  ({ path, headers }) => path === "/responses" && headers.authorization === "Bearer test-key",
);
const WITH_REASONING = fixture("openai/responses-call.sse.txt");
const IMAGE = "iVBORw0KGgo=";
const text = (...pieces: readonly string[]): Said => ({ kind: "text", pieces });

const model = (baseUrl: string, own: { readonly store?: boolean } = {}) =>
  new OpenAiCompatible({ model: "gpt-6.1-sol", baseUrl, apiKey: "test-key", api: "responses", ...own });

const events = (...all: readonly object[]): string => all.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");

describe("the Responses API", () => {
  it("calls a tool and sends its result back", async () => {
    verifies("authentication:model:responses");
    const call: Said = { kind: "call", name: "look", args: { city: "Paris" } };
    await using server = await startProvider(FORMAT, call, text("Sunny."));
    const look = new FunctionTool({ name: "look", description: "Looks.", execute: () => ({ weather: "sunny" }) });
    const agent = new LlmAgent({ name: "helper", model: model(server.url), tools: [look], instruction: "Be brief." });
    const world = await createAgentWorld(agent);
    const answered = await world.run("Weather?", { streamingMode: StreamingMode.SSE });
    expect(textOf(answered.at(-1)?.content)).toBe("Sunny.");
    expect(server.requests[1]?.body).toMatchObject({
      model: "gpt-6.1-sol",
      store: false,
      include: ["reasoning.encrypted_content"],
      input: [
        { role: "user", content: [{ type: "input_text", text: "Weather?" }] },
        { type: "function_call", call_id: "call_1", name: "look", arguments: '{"city":"Paris"}' },
        { type: "function_call_output", call_id: "call_1", output: '{"weather":"sunny"}' },
      ],
      tools: [{ type: "function", name: "look", strict: false }],
    });
    expect(answered.at(-1)).toMatchObject({
      modelVersion: "deployed-1",
      usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 7 },
    });
  });

  it("streams, sees an image, and gives a structured answer, in a stream and whole", async () => {
    for (const streamingMode of [StreamingMode.SSE, StreamingMode.NONE]) {
      await using server = await startProvider(FORMAT, text('{"city":', '"Paris"}'));
      const outputSchema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
      const agent = new LlmAgent({ name: "helper", model: model(server.url), outputSchema, outputKey: "place" });
      const world = await createAgentWorld(agent);
      const image = { inlineData: { mimeType: "image/png", data: IMAGE } };
      await world.run({ role: "user", parts: [{ text: "Where?" }, image] }, { streamingMode });
      expect((await world.session()).state["place"]).toEqual({ city: "Paris" });
      expect(server.requests[0]?.body).toMatchObject({
        input: [
          { content: [{ type: "input_text" }, { type: "input_image", image_url: `data:image/png;base64,${IMAGE}` }] },
        ],
        text: { format: { type: "json_schema", name: "response" } },
      });
    }
  });

  /** One round: the answer with its reasoning, and the next request. */
  async function nextInput(own: { readonly store?: boolean }): Promise<unknown> {
    await using server = await startWireServer(answerSse(WITH_REASONING));
    const called = model(server.url, own);
    const question = userContent("Weather?");
    const answer = (await collect(called, new LlmRequest({ model: called.model, contents: [question] }))).at(-1);
    const said: Content = answer?.content ?? {};
    expect(said.parts?.map(({ partMetadata: _, ...part }) => part)).toEqual([
      { text: "I must look it up.", thought: true },
      { functionCall: { id: "call_1", name: "get_weather", args: { city: "Paris" } } },
    ]);
    const response = { functionResponse: { id: "call_1", name: "get_weather", response: { result: "sunny" } } };
    const contents = [question, said, { role: "user", parts: [response] }];
    await collect(called, new LlmRequest({ model: called.model, contents }));
    const { store = false } = own;
    expect(server.requests.map(({ body }) => Object(body).store)).toEqual([store, store]);
    return Object(server.requests[1]?.body).input;
  }

  it("sends reasoning back encrypted, or by its id where it is stored", async () => {
    const summary = [{ type: "summary_text", text: "I must look it up." }];
    const rest = [{ type: "function_call", call_id: "call_1" }, { type: "function_call_output" }];
    const reasoning = { type: "reasoning", id: "rs_1", summary };
    expect(await nextInput({})).toMatchObject([
      { role: "user" },
      { ...reasoning, encrypted_content: "gAAAAsecret" },
      ...rest,
    ]);
    expect(await nextInput({ store: true })).toMatchObject([{ role: "user" }, reasoning, ...rest]);
  });

  it("asks for no encrypted reasoning once a model has refused it", async () => {
    const refusal = {
      error: { message: "Encrypted content is not supported with this model.", type: "invalid_request_error" },
    };
    const whole = JSON.stringify(FORMAT.whole(text("hi")));
    await using server = await startWireServer(answerJson(JSON.stringify(refusal), 400), answerJson(whole));
    const called = model(server.url);
    for (let call = 0; call < 2; call += 1)
      await collect(called, new LlmRequest({ model: called.model, contents: [userContent("Hi")] }), { stream: false });
    expect(server.requests.map(({ body }) => Object(body).include)).toEqual([
      ["reasoning.encrypted_content"],
      undefined,
      undefined,
    ]);
  });

  it.each([
    [
      {
        type: "response.incomplete",
        response: { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } },
      },
      "MAX_TOKENS",
    ],
    [
      {
        type: "response.incomplete",
        response: { status: "incomplete", incomplete_details: { reason: "content_filter" } },
      },
      "SAFETY",
    ],
  ])("reports an answer that is incomplete: %j", async (end, errorCode) => {
    const delta = {
      type: "response.output_text.delta",
      item_id: "m",
      output_index: 0,
      content_index: 0,
      delta: "half",
    };
    await using server = await startWireServer(answerSse(events(delta, end)));
    expect((await collect(model(server.url))).at(-1)).toMatchObject({
      errorCode,
      content: { parts: [{ text: "half" }] },
    });
  });

  it.each([
    [
      "fails",
      events({
        type: "response.failed",
        response: { status: "failed", error: { code: "server_error", message: "x" } },
      }),
    ],
    ["breaks off", events({ type: "response.created", response: { status: "in_progress" } })],
  ])("fails as a server does if the answer %s", async (_, body) => {
    await using server = await startWireServer(answerSse(body));
    const failing = new OpenAiCompatible({
      ...{ model: "gpt-6.1-sol", baseUrl: server.url, apiKey: "test-key", api: "responses", retry: { maxAttempts: 1 } },
    });
    await expect(collect(failing)).rejects.toMatchObject({ reason: "MODEL_UNAVAILABLE", category: "SERVER_ERROR" });
  });

  it("leaves out settings that only chat completions have", async () => {
    await using server = await startProvider(FORMAT, text("hi"));
    const agent = new LlmAgent({
      name: "helper",
      model: model(server.url),
      generateContentConfig: {
        seed: 1,
        maxOutputTokens: 9,
        thinkingConfig: { thinkingLevel: "LOW", includeThoughts: true },
      },
    });
    await (await createAgentWorld(agent)).run("Hi");
    expect(server.requests[0]?.body).toMatchObject({
      max_output_tokens: 9,
      reasoning: { effort: "low", summary: "auto" },
    });
    expect(server.requests[0]?.body).not.toHaveProperty("seed");
  });
});
