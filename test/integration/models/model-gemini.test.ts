import { describe, expect, it } from "vitest";
import { modelContent, userContent } from "#kit/events/content.ts";
import { Gemini } from "#kit/models/gemini/gemini.ts";
import { LlmRequest } from "#kit/models/llm-request.ts";
import { answerJson, answerSse, fixture, fixturePath, startWireServer } from "#test/helpers/servers/wire-server.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { type Address, collect, keySuite, modelSuite, WEATHER_TOOL } from "./model-suite.ts";

/** The mark of the thoughts that these models can read. */
const OWN = { thoughtOf: "gemini" };
const create = (options: Address): Gemini =>
  new Gemini({ model: "gemini-3-flash-preview", apiKey: "test-key", ...options });

describe("Gemini", () => {
  modelSuite({ fixtures: "gemini", create, provider: "Gemini" });
  keySuite({ fixtures: "gemini", create, provider: "Gemini", keyVariable: "GOOGLE_API_KEY" });

  it("sends instruction, tools, settings and history in the API's form, without the kit's own ids", async () => {
    verifies("records:model-properties:model");
    await using server = await startWireServer(answerJson(fixture("gemini/text.json")));
    const model = create({ baseUrl: server.url });
    const request = new LlmRequest({
      model: model.model,
      config: {
        temperature: 0.2,
        topP: 0.9,
        topK: 40,
        maxOutputTokens: 100,
        labels: { team: "blue" },
        modelTools: [{ googleSearch: {} }],
      },
      contents: [
        userContent("Weather in Paris?"),
        {
          role: "model",
          parts: [
            {
              functionCall: { id: "adk-1", name: "get_weather", args: { city: "Paris" } },
              thoughtSignature: "c2ln",
              partMetadata: OWN,
            },
          ],
        },
        {
          role: "user",
          parts: [{ functionResponse: { id: "adk-1", name: "get_weather", response: { sky: "clear" } } }],
        },
        { role: "user", parts: [{ inlineData: { mimeType: "image/png", data: "aGk=", displayName: "map.png" } }] },
      ],
    });
    request.appendInstructions("You know the weather.", "Be brief.");
    request.appendTools(WEATHER_TOOL);

    const responses = await collect(model, request, { stream: false });

    expect(server.requests.map(({ path, body }) => [path, body])).toEqual([
      [
        "/v1beta/models/gemini-3-flash-preview:generateContent",
        {
          contents: [
            { role: "user", parts: [{ text: "Weather in Paris?" }] },
            {
              role: "model",
              parts: [{ functionCall: { name: "get_weather", args: { city: "Paris" } }, thoughtSignature: "c2ln" }],
            },
            { role: "user", parts: [{ functionResponse: { name: "get_weather", response: { sky: "clear" } } }] },
            { role: "user", parts: [{ inlineData: { mimeType: "image/png", data: "aGk=" } }] },
          ],
          systemInstruction: { role: "user", parts: [{ text: "You know the weather.\n\nBe brief." }] },
          tools: [
            {
              functionDeclarations: [
                {
                  name: "get_weather",
                  description: "Weather of a city.",
                  parametersJsonSchema: {
                    type: "object",
                    properties: { city: { type: "string" } },
                    required: ["city"],
                  },
                },
              ],
            },
            { googleSearch: {} },
          ],
          generationConfig: { temperature: 0.2, topP: 0.9, topK: 40, maxOutputTokens: 100 },
        },
      ],
    ]);
    expect(responses).toEqual([
      {
        content: { role: "model", parts: [{ text: "Paris is sunny." }] },
        finishReason: "STOP",
        usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 4, totalTokenCount: 16 },
        modelVersion: "gemini-3-flash-preview",
      },
    ]);
  });

  it("fails if a stream ends without a reason, as it does behind proxies that are restarted", async () => {
    verifies("records:model-answers:dialects");
    const chunk = { candidates: [{ content: { role: "model", parts: [{ text: "It is" }] } }] };
    await using server = await startWireServer(answerSse(`data: ${JSON.stringify(chunk)}\n\n`));
    await expect(collect(create({ baseUrl: server.url }))).rejects.toThrow("ended before it was complete");
  });

  it("asks for an answer by schema, and to carry on when the model had the last word", async () => {
    await using server = await startWireServer(answerJson(fixture("gemini/text.json")));
    const model = create({ baseUrl: server.url });
    const responseSchema = { type: "object", properties: { sky: { type: "string" } } };
    const request = new LlmRequest({
      model: model.model,
      config: { responseSchema },
      contents: [userContent("Hi"), modelContent("Hello")],
    });
    await collect(model, request, { stream: false });
    expect(server.requests[0]?.body).toEqual({
      contents: [
        { role: "user", parts: [{ text: "Hi" }] },
        { role: "model", parts: [{ text: "Hello" }] },
        { role: "user", parts: [{ text: expect.stringContaining("Carry on") }] },
      ],
      generationConfig: { responseMimeType: "application/json", responseJsonSchema: responseSchema },
    });
  });

  it("streams thoughts and calls with their ids and signatures", async () => {
    await using server = await startWireServer(answerSse(fixture("gemini/call.sse.txt")));
    const responses = await collect(create({ baseUrl: server.url }));
    const thought = { text: "I must look it up.", thought: true };
    const call = {
      functionCall: { id: "fc_1", name: "get_weather", args: { city: "Paris" } },
      thoughtSignature: "CiQBVKhc7f0sig==",
    };
    expect(responses.map(({ content, partial }) => [content?.parts, partial])).toEqual([
      [[thought], true],
      [[call], true],
      [[thought, call].map((part) => ({ ...part, partMetadata: OWN })), undefined],
    ]);
    expect(responses.at(-1)?.usageMetadata).toEqual({
      promptTokenCount: 40,
      candidatesTokenCount: 9,
      thoughtsTokenCount: 18,
      totalTokenCount: 67,
    });
  });

  it("puts streamed arguments together in the complete response", async () => {
    await using server = await startWireServer(answerSse(fixture("gemini/streamed-arguments.sse.txt")));
    const responses = await collect(create({ baseUrl: server.url }));
    expect(responses.at(-1)?.content?.parts).toEqual([
      {
        functionCall: { id: "fc_7", name: "plan_trip", args: { days: [{ city: "Paris" }], nights: 2 } },
        thoughtSignature: "CsgB+trip==",
        partMetadata: OWN,
      },
    ]);
  });

  it("reports a blocked prompt as an error code", async () => {
    await using server = await startWireServer(answerJson(fixture("gemini/blocked.json")));
    expect(await collect(create({ baseUrl: server.url }), undefined, { stream: false })).toEqual([
      {
        errorCode: "PROHIBITED_CONTENT",
        errorMessage: "The prompt was blocked: PROHIBITED_CONTENT.",
        usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 },
        modelVersion: "gemini-3-flash-preview",
      },
    ]);
  });

  it("keeps the text of an answer that was cut off, with the reason as error code", async () => {
    await using server = await startWireServer(answerJson(fixture("gemini/max-tokens.json")));
    expect(await collect(create({ baseUrl: server.url }), undefined, { stream: false })).toEqual([
      {
        content: { role: "model", parts: [{ text: "Once upon a" }] },
        finishReason: "MAX_TOKENS",
        errorCode: "MAX_TOKENS",
        errorMessage: "The model stopped before its answer was complete: MAX_TOKENS.",
        usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 3, totalTokenCount: 8 },
        modelVersion: "gemini-3-flash-preview",
      },
    ]);
  });

  it("waits as long as a RetryInfo asks", async () => {
    const waits: number[] = [];
    await using server = await startWireServer(
      answerJson(fixture("gemini/error-429.json"), 429),
      answerSse(fixture("gemini/text.sse.txt")),
    );
    await collect(create({ baseUrl: server.url, sleep: async (milliseconds) => void waits.push(milliseconds) }));
    expect(waits).toEqual([17_000]);
  });

  it("calls Vertex AI with a token for the credentials object it was given", async () => {
    verifies("authentication:model:credentials");
    await using server = await startWireServer(answerSse(fixture("gemini/text.sse.txt")));
    const token = {
      access_token: "token-1",
      token_type: "Bearer",
      expires_in: 3600,
      issued_token_type: "access_token",
    };
    await using tokens = await startWireServer(answerJson(JSON.stringify(token)));
    const googleCredentials = {
      type: "external_account",
      audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q",
      subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
      token_url: tokens.url,
      credential_source: { file: fixturePath("gemini/subject-token.txt") },
    };
    const vertexAi = { project: "my-project", location: "europe-west1", googleCredentials };
    const responses = await collect(new Gemini({ model: "gemini-3-flash-preview", vertexAi, baseUrl: server.url }));
    expect(responses.at(-1)?.content?.parts).toEqual([{ text: "Paris is sunny." }]);
    expect(server.requests.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      [
        "/v1beta1/projects/my-project/locations/europe-west1/publishers/google/models/gemini-3-flash-preview:streamGenerateContent?alt=sse",
        "Bearer token-1",
      ],
    ]);
  });

  // ADK's commands and Google's SDKs write and read these names and values.
  it.each([
    [{ GOOGLE_GENAI_USE_VERTEXAI: "true" }, "Vertex AI: set GOOGLE_CLOUD_PROJECT"],
    [{ GOOGLE_GENAI_USE_VERTEXAI: "1" }, "Vertex AI: set GOOGLE_CLOUD_PROJECT"],
    [{ GOOGLE_GENAI_USE_ENTERPRISE: "1" }, "Vertex AI: set GOOGLE_CLOUD_PROJECT"],
    [{ GOOGLE_GENAI_USE_ENTERPRISE: "TRUE" }, "Vertex AI: set GOOGLE_CLOUD_PROJECT"],
    [
      { GOOGLE_GENAI_USE_ENTERPRISE: "0", GOOGLE_GENAI_USE_VERTEXAI: "1" },
      "the Gemini API: set GOOGLE_API_KEY or GEMINI_API_KEY",
    ],
    [{ GOOGLE_GENAI_USE_ENTERPRISE: "0" }, "the Gemini API: set GOOGLE_API_KEY or GEMINI_API_KEY"],
  ])("says what the service needs that the variables choose: %j", async (variables, needed) => {
    verifies("providers:gemini:variables");
    const credentials = (name: string): string | undefined => new Map(Object.entries(variables)).get(name);
    await expect(collect(create({ apiKey: undefined, credentials }))).rejects.toMatchObject({
      reason: "MODEL_KEY_MISSING",
      message: `Model "gemini-3-flash-preview" needs a key of ${needed}. Put it into the environment, or into the file .env of the project.`,
    });
  });

  it.each(["GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_GENAI_API_KEY"])("finds its key in %s", async (variable) => {
    verifies("providers:gemini:variables");
    await using server = await startWireServer(answerSse(""));
    const credentials = (name: string): string | undefined => (name === variable ? "k-1" : undefined);
    await collect(create({ apiKey: undefined, credentials, baseUrl: server.url }));
    expect(server.requests[0]?.headers["x-goog-api-key"]).toBe("k-1");
  });
});
