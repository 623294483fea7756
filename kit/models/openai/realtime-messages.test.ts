import { describe, expect, it } from "vitest";
import type { LiveConnectConfig } from "#kit/models/base-llm-connection.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import type { WireRequest } from "#kit/models/wire/wire-request.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { toItems } from "./realtime-items.ts";
import { RealtimeMessages } from "./realtime-messages.ts";
import { toRealtimeSession } from "./realtime-setup.ts";

const TURN_ENDS: LlmResponse = { turnComplete: true };
const read = (...events: readonly JsonObject[]): readonly LlmResponse[] => {
  const messages = new RealtimeMessages();
  return events.flatMap((event) => messages.read(event));
};
const done = (response: JsonObject) => read({ type: "response.done", response });
const call = (text: string): JsonObject => ({ type: "function_call", call_id: "c", name: "look", arguments: text });

describe("the end of a response", () => {
  it.each<readonly [JsonObject, readonly LlmResponse[]]>([
    [{ status: "completed" }, [TURN_ENDS]],
    [{ status: "cancelled" }, [{ interrupted: true }]],
    [
      { status: "incomplete", status_details: { reason: "max_output_tokens" } },
      [{ errorCode: "MAX_TOKENS", turnComplete: true }],
    ],
    [
      { status: "incomplete", status_details: { reason: "content_filter" } },
      [{ errorCode: "SAFETY", turnComplete: true }],
    ],
    ...(
      [
        [{ code: "rate_limit", type: "quota" }, "rate_limit"],
        [{ type: "quota" }, "quota"],
        [{}, "MODEL_UNAVAILABLE"],
      ] as const
    ).map(
      ([error, errorCode]) =>
        [
          { status: "failed", status_details: { error } },
          [{ errorCode, errorMessage: "The OpenAI model failed to answer.", turnComplete: true }],
        ] as const,
    ),
    [
      {
        status: "completed",
        usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3, input_token_details: { cached_tokens: 4 } },
      },
      [
        {
          usageMetadata: {
            ...{ promptTokenCount: 1, candidatesTokenCount: 2, totalTokenCount: 3, cachedContentTokenCount: 4 },
          },
        },
        TURN_ENDS,
      ],
    ],
  ])("%j", (response, expected) => {
    expect(done(response)).toEqual(expected);
  });

  it.each([
    ['{"a":1}', { a: 1 }],
    ["", {}],
    ["[1]", { arguments: "[1]" }],
    ["{", { arguments: "{" }],
  ])("does not end the turn if it calls tools: %s", (text, args) => {
    expect(done({ status: "completed", output: [{ type: "message" }, call(text)] })).toEqual([
      { content: { role: "model", parts: [{ functionCall: { id: "c", name: "look", args } }] } },
    ]);
  });

  it("completes the texts that have not been completed, once", () => {
    const messages = new RealtimeMessages();
    messages.read({ type: "response.output_text.delta", delta: "a" });
    messages.read({ type: "response.output_text.delta", delta: "b" });
    messages.read({ type: "response.output_audio_transcript.delta", delta: "c" });
    const whole = [
      { content: { role: "model", parts: [{ text: "ab" }] } },
      { outputTranscription: { text: "c", finished: true } },
    ];
    expect(messages.read({ type: "response.done", response: { status: "completed" } })).toEqual([...whole, TURN_ENDS]);
    expect(messages.flush()).toEqual([]);
  });
});

const request = (given: Partial<WireRequest> = {}): WireRequest => ({
  ...{ model: "m", systemInstruction: "", contents: [], config: {}, functionDeclarations: [] },
  ...{ contextCache: undefined, strictOutput: false, ...given },
});
const session = (live: LiveConnectConfig, given?: Partial<WireRequest>) => toRealtimeSession(request(given), live);

describe("the settings of a session", () => {
  it.each<readonly [LiveConnectConfig, object]>([
    [{}, { output_modalities: ["audio"], audio: { input: { turn_detection: { type: "server_vad" } } } }],
    [{ responseModalities: ["TEXT"] }, { output_modalities: ["text"] }],
    [
      { inputAudioTranscription: { languageCodes: ["de-DE"] } },
      { audio: { input: { transcription: { model: "gpt-live-transcribe", language: "de" } } } },
    ],
    [
      { inputAudioTranscription: { languageCodes: ["de-DE", "en"] } },
      { audio: { input: { transcription: { model: "gpt-live-transcribe", languages: ["de", "en"] } } } },
    ],
    [
      { realtimeInputConfig: { automaticActivityDetection: { prefixPaddingMs: 1, silenceDurationMs: 2 } } },
      { audio: { input: { turn_detection: { prefix_padding_ms: 1, silence_duration_ms: 2 } } } },
    ],
    [
      { realtimeInputConfig: { automaticActivityDetection: { disabled: true } } },
      { audio: { input: { turn_detection: null } } },
    ],
    [
      { realtimeInputConfig: { activityHandling: "NO_INTERRUPTION" } },
      { audio: { input: { turn_detection: { interrupt_response: false } } } },
    ],
    [
      { speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: "Marin" } } } },
      { audio: { output: { voice: "marin" } } },
    ],
  ])("%j", (live, expected) => {
    expect(session(live)).toMatchObject(expected);
  });

  it("has no voice of another provider", () => {
    const { audio } = session({ speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: "Kore" } } } });
    expect(audio?.output).not.toHaveProperty("voice");
  });

  it.each([
    ["NONE", "none"],
    ["ANY", "required"],
    ["AUTO", undefined],
  ])("has tools and how they are called: %s", (mode, choice) => {
    const config = { toolConfig: { functionCallingConfig: { mode } }, maxOutputTokens: 9 };
    const given = { config, functionDeclarations: [{ name: "look" }], systemInstruction: "Be kind." };
    const { tools, tool_choice, instructions, max_output_tokens } = session({}, given);
    expect([tools, tool_choice, instructions, max_output_tokens]).toEqual([
      [{ type: "function", name: "look", parameters: { type: "object", properties: {} } }],
      ...[choice, "Be kind.", 9],
    ]);
  });
});

it("sends what was said as items, without the thoughts of the model", () => {
  const image = { inlineData: { mimeType: "image/png", data: "aGk=" } };
  const sound = { inlineData: { mimeType: "audio/pcm", data: "aGk=" } };
  expect(toItems({ role: "user", parts: [{ text: "a" }, image, sound, { text: "" }] })).toEqual([
    {
      ...{ type: "message", role: "user" },
      content: [
        { type: "input_text", text: "a" },
        { type: "input_image", image_url: "data:image/png;base64,aGk=" },
      ],
    },
  ]);
  const functionCall = { id: "c", name: "look", args: { a: 1 } };
  expect(toItems({ role: "model", parts: [{ text: "hm", thought: true }, { text: "b" }, { functionCall }] })).toEqual([
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "b" }] },
    { type: "function_call", call_id: "c", name: "look", arguments: '{"a":1}' },
  ]);
  const functionResponse = { id: "c", name: "look", response: { result: "ok" } };
  expect(toItems({ role: "user", parts: [{ functionResponse }] })).toEqual([
    { type: "function_call_output", call_id: "c", output: "ok" },
  ]);
});
