import { afterAll, expect, it } from "vitest";
import { userContent } from "#kit/events/content.ts";
import type { LiveConnectConfig } from "#kit/models/base-llm-connection.ts";
import { Gemini } from "#kit/models/gemini/gemini.ts";
import { LlmRequest } from "#kit/models/llm-request.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { frame, upTo } from "#test/helpers/live/frames.ts";
import { GeminiLiveServer } from "#test/helpers/live/gemini-live-server.ts";
import { Talk } from "#test/helpers/live/talk.ts";
import { answerJson, fixturePath, startWireServer } from "#test/helpers/servers/wire-server.ts";

const MODEL = "gemini-3.8-live";

const token = { access_token: "token-1", token_type: "Bearer", expires_in: 3600 };
const tokens = await startWireServer(
  answerJson(JSON.stringify({ ...token, issued_token_type: "urn:ietf:params:oauth:token-type:access_token" })),
);
afterAll(() => tokens[Symbol.asyncDispose]());

function connect(model: Gemini, request: LlmRequest, config: LiveConnectConfig = {}) {
  return model.connect(request, { config, signal: new AbortController().signal });
}

function vertexModel(server: GeminiLiveServer, tokenUrl = tokens.url): Gemini {
  const googleCredentials = {
    type: "external_account",
    audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q",
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    token_url: tokenUrl,
    credential_source: { file: fixturePath("gemini/subject-token.txt") },
  };
  const vertexAi = { project: "my-project", location: "europe-west1", googleCredentials };
  return new Gemini({ model: MODEL, vertexAi, baseUrl: server.url, sleep: async () => {} });
}

const CONFIG: LiveConnectConfig = {
  responseModalities: ["AUDIO"],
  speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: "Kore" } } },
  inputAudioTranscription: { languageCodes: ["de"] },
  outputAudioTranscription: {},
  realtimeInputConfig: { automaticActivityDetection: { disabled: true } },
  proactivity: { proactiveAudio: true },
  enableAffectiveDialog: true,
  explicitVadSignal: true,
  historyConfig: { initialHistoryInClientContent: false },
  sessionResumption: { transparent: true },
};

function requestWithTool(): LlmRequest {
  const request = new LlmRequest({
    model: MODEL,
    config: { temperature: 0.5, maxOutputTokens: 100, labels: { team: "a" } },
  });
  request.appendInstructions("Be brief.");
  request.appendTools({ name: "look", getDeclaration: () => ({ name: "look", description: "Looks." }) });
  return request;
}

const SETUP = {
  generationConfig: {
    responseModalities: ["AUDIO"],
    maxOutputTokens: 100,
    speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: "Kore" } } },
    enableAffectiveDialog: true,
  },
  systemInstruction: { parts: [{ text: "Be brief." }], role: "user" },
  tools: [{ functionDeclarations: [{ name: "look", description: "Looks." }] }],
  inputAudioTranscription: { languageCodes: ["de"] },
  outputAudioTranscription: {},
  realtimeInputConfig: { automaticActivityDetection: { disabled: true } },
  proactivity: { proactiveAudio: true },
  historyConfig: { initialHistoryInClientContent: false },
  contextWindowCompression: { slidingWindow: {} },
};

it("opens a session of the Gemini API with what it takes of the settings", async () => {
  await using server = await GeminiLiveServer.start();
  const model = new Gemini({ model: MODEL, apiKey: "test-key", baseUrl: server.url });
  const connection = await connect(model, requestWithTool(), CONFIG);
  expect(server.setups).toEqual([{ ...SETUP, model: `models/${MODEL}`, sessionResumption: {} }]);
  expect(server.last.request.url).toContain("v1beta.GenerativeService.BidiGenerateContent?key=test-key");
  await connection.close();
});

it("opens a session of Vertex AI with what it takes of the settings", async () => {
  await using server = await GeminiLiveServer.start();
  const connection = await connect(vertexModel(server), requestWithTool(), CONFIG);
  expect(server.setups).toEqual([
    {
      ...SETUP,
      model: `projects/my-project/locations/europe-west1/publishers/google/models/${MODEL}`,
      sessionResumption: { transparent: true },
      explicitVadSignal: true,
      labels: { team: "a" },
    },
  ]);
  expect(server.last.request.headers.authorization).toBe("Bearer token-1");
  await connection.close();
});

it.each([
  [MODEL, undefined, undefined],
  [MODEL, "NON_BLOCKING", "NON_BLOCKING"],
  [`${MODEL}-extended-thinking`, undefined, "NON_BLOCKING"],
] as const)("lets %s talk on during calls of a tool with behavior %s: %s", async (name, behavior, expected) => {
  await using server = await GeminiLiveServer.start();
  const request = new LlmRequest({ model: name });
  request.appendTools(new FunctionTool({ name: "look", description: "Looks.", behavior, execute: () => ({}) }));
  const connection = await connect(new Gemini({ model: name, apiKey: "test-key", baseUrl: server.url }), request);
  const declared = { name: "look", description: "Looks.", ...(expected !== undefined && { behavior: expected }) };
  expect(server.setups[0]?.["tools"]).toEqual([{ functionDeclarations: [declared] }]);
  await connection.close();
});

it("sends again exactly what Vertex AI has not consumed", async () => {
  let drop = true;
  await using server = await GeminiLiveServer.start({
    on: (session, _message, own) => {
      if (!session.isOpen) return;
      const count = session.state.frames.length;
      if (count === 30) own.handle(session, { withIndex: true });
      if (count !== 40 || !drop) return;
      drop = false;
      session.terminate();
    },
  });
  const connection = await connect(vertexModel(server), new LlmRequest({ model: MODEL }));
  for (const number of upTo(50)) {
    await connection.sendRealtime(frame(number));
    // The report of the 30 first frames arrives before the drop.
    await server.receipt(number < 40 ? number : 0);
  }
  await server.receipt(49);
  expect(server.last.state.frames).toEqual(upTo(50));
  expect(server.frames).toEqual([...upTo(40), ...upTo(50).slice(30)]);
  await connection.close();
});

it("reports credentials that Google refuses, once", async () => {
  await using server = await GeminiLiveServer.start();
  await using refusing = await startWireServer(answerJson(JSON.stringify({ error: "invalid_grant" }), 401));
  await expect(connect(vertexModel(server, refusing.url), new LlmRequest({ model: MODEL }))).rejects.toMatchObject({
    reason: "MODEL_AUTH_ERROR",
  });
  expect(refusing.requests).toHaveLength(1);
  expect(server.sessions).toEqual([]);
});

it("sends a part of a turn without asking for an answer, and signals as they are", async () => {
  await using server = await GeminiLiveServer.start();
  const model = new Gemini({ model: MODEL, apiKey: "test-key", baseUrl: server.url });
  const connection = await connect(model, new LlmRequest({ model: MODEL }));
  await connection.sendContent(userContent("I say"), { turnComplete: false });
  await connection.sendRealtime({ activityStart: true });
  await connection.sendRealtime({ blob: { mimeType: "image/jpeg", data: "AAAA" } });
  await connection.sendRealtime({ activityEnd: true });
  await connection.sendRealtime({ audioStreamEnd: true });
  await expect
    .poll(() => server.last.received.slice(1))
    .toEqual([
      { clientContent: { turns: [{ role: "user", parts: [{ text: "I say" }] }], turnComplete: false } },
      { realtimeInput: { activityStart: {} } },
      { realtimeInput: { video: { mimeType: "image/jpeg", data: "AAAA" } } },
      { realtimeInput: { activityEnd: {} } },
      { realtimeInput: { audioStreamEnd: true } },
    ]);
  await connection.close();
});

it("makes the model answer a history that ends with the user", async () => {
  await using server = await GeminiLiveServer.start();
  const model = new Gemini({ model: MODEL, apiKey: "test-key", baseUrl: server.url });
  const request = new LlmRequest({ model: MODEL, contents: [userContent("Hello")] });
  const connection = await connect(model, request);
  await connection.sendHistory(request.contents);
  await expect
    .poll(() => server.last.received.slice(1))
    .toEqual([
      { clientContent: { turns: [{ role: "user", parts: [{ text: "Hello" }] }], turnComplete: true } },
      { realtimeInput: { text: "." } },
    ]);
  expect(server.setups[0]?.["historyConfig"]).toEqual({ initialHistoryInClientContent: true });
  await connection.close();
});

it("returns a turn with thoughts, sound and transcriptions in pieces and as a whole", async () => {
  await using server = await GeminiLiveServer.start();
  const model = new Gemini({ model: "gemini-live-older", apiKey: "test-key", baseUrl: server.url });
  const connection = await connect(model, new LlmRequest({ model: "gemini-live-older" }));
  const talk = new Talk(connection);
  const { last } = server;
  const sound = { inlineData: { mimeType: "audio/pcm;rate=24000", data: "AAAA" } };
  server.send(last, { serverContent: { inputTranscription: { text: "How is " } } });
  server.send(last, { serverContent: { inputTranscription: { text: "the sky?" } } });
  server.send(last, {
    serverContent: {
      modelTurn: { parts: [{ text: "Thinking", thought: true }, sound] },
      outputTranscription: { text: "It is" },
      interimInputTranscription: { text: "the sky" },
    },
  });
  server.send(last, { serverContent: { outputTranscription: { text: " blue." }, generationComplete: true } });
  server.send(last, {
    serverContent: { turnComplete: true, groundingMetadata: { webSearchQueries: ["sky"] } },
    usageMetadata: { promptTokenCount: 4, responseTokenCount: 6 },
  });
  await expect.poll(() => talk.with("turnComplete")).toEqual([true]);
  expect(talk.responses).toEqual([
    { inputTranscription: { text: "How is ", finished: false }, partial: true },
    { inputTranscription: { text: "the sky?", finished: false }, partial: true },
    { content: { role: "model", parts: [{ text: "Thinking", thought: true }] }, partial: true },
    { content: { role: "model", parts: [sound] }, partial: true },
    { outputTranscription: { text: "It is", finished: false }, partial: true },
    { outputTranscription: { text: " blue.", finished: false }, partial: true },
    { inputTranscription: { text: "How is the sky?", finished: true } },
    { content: { role: "model", parts: [{ text: "Thinking", thought: true, partMetadata: { thoughtOf: "gemini" } }] } },
    { outputTranscription: { text: "It is blue.", finished: true } },
    { generationComplete: true },
    { usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 6 } },
    { turnComplete: true, groundingMetadata: { webSearchQueries: ["sky"] } },
  ]);
  await connection.close();
});
