import { describe, expect, it } from "vitest";
import type { Part } from "#kit/events/content.ts";
import type { GenerateContentConfig } from "#kit/models/llm-request.ts";
import type { WireRequest } from "#kit/models/wire/wire-request.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { topKFor } from "./openai-compatible.ts";
import { toOpenAiRequest } from "./openai-convert.ts";
import { toResponsesRequest } from "./responses-request.ts";

const LOOK = { name: "look", description: "Looks." };
const wire = (given: Partial<WireRequest>): WireRequest => ({
  ...{ model: "m", systemInstruction: "", contents: [], config: {}, functionDeclarations: [] },
  ...{ contextCache: undefined, strictOutput: false, ...given },
});
const defined = (request: object): JsonObject => JSON.parse(JSON.stringify(request)) as JsonObject;
const STORAGE = { store: false, encrypts: false };

const chat = (given: Partial<WireRequest>) => {
  const { model: _, messages: __, tools: ___, ...settings } = defined(toOpenAiRequest(wire(given)));
  return settings;
};
const responses = (given: Partial<WireRequest>) => {
  const {
    model: _,
    input: __,
    tools: ___,
    store: ____,
    ...settings
  } = defined(toResponsesRequest(wire(given), STORAGE));
  return settings;
};

const SCHEMA = { type: "object", properties: {} };
const calling = (mode: string, ...allowedFunctionNames: string[]): GenerateContentConfig => ({
  toolConfig: { functionCallingConfig: { mode, ...(allowedFunctionNames.length > 0 && { allowedFunctionNames }) } },
});

type Settings = readonly [given: Partial<WireRequest>, chat: JsonObject, responses: JsonObject];

/** Each setting alone, and its member in both APIs. */
const SETTINGS: readonly Settings[] = [
  [{ config: { temperature: 0 } }, { temperature: 0 }, { temperature: 0 }],
  [{ config: { topP: 0 } }, { top_p: 0 }, { top_p: 0 }],
  [{ config: { maxOutputTokens: 7 } }, {}, { max_output_tokens: 7 }],
  [{ config: { stopSequences: ["a", "b"] } }, { stop: ["a", "b"] }, {}],
  [{ config: { presencePenalty: 0.1 } }, { presence_penalty: 0.1 }, {}],
  [{ config: { frequencyPenalty: 0.2 } }, { frequency_penalty: 0.2 }, {}],
  [{ config: { seed: 0 } }, { seed: 0 }, {}],
  [{ systemInstruction: "Be kind." }, {}, { instructions: "Be kind." }],
  [
    { config: { responseMimeType: "application/json" } },
    { response_format: { type: "json_object" } },
    { text: { format: { type: "json_object" } } },
  ],
  [{ config: { responseMimeType: "text/plain" } }, {}, {}],
  ...[true, false].map(
    (strict): Settings => [
      { config: { responseSchema: SCHEMA, responseMimeType: "application/json" }, strictOutput: strict },
      { response_format: { type: "json_schema", json_schema: { name: "response", schema: SCHEMA, strict } } },
      { text: { format: { type: "json_schema", name: "response", schema: SCHEMA, strict } } },
    ],
  ),
  ...["MINIMAL", "LOW", "MEDIUM", "HIGH"].map(
    (thinkingLevel): Settings => [
      { config: { thinkingConfig: { thinkingLevel } } },
      { reasoning_effort: thinkingLevel.toLowerCase() },
      { reasoning: { effort: thinkingLevel.toLowerCase() } },
    ],
  ),
  [{ config: { thinkingConfig: { thinkingLevel: "OTHER" } } }, {}, {}],
  [{ config: { thinkingConfig: { includeThoughts: true } } }, {}, { reasoning: { summary: "auto" } }],
  [
    { config: { thinkingConfig: { includeThoughts: true, thinkingLevel: "LOW" } } },
    { reasoning_effort: "low" },
    { reasoning: { effort: "low", summary: "auto" } },
  ],
  [{ functionDeclarations: [LOOK], config: calling("AUTO") }, {}, {}],
  [{ functionDeclarations: [LOOK], config: calling("ANY") }, { tool_choice: "required" }, { tool_choice: "required" }],
  [{ functionDeclarations: [LOOK], config: calling("NONE") }, { tool_choice: "none" }, { tool_choice: "none" }],
  [
    { functionDeclarations: [LOOK, { name: "other" }], config: calling("ANY", "look") },
    { tool_choice: { type: "function", function: { name: "look" } } },
    { tool_choice: { type: "function", name: "look" } },
  ],
];

it.each(SETTINGS)("%j is its setting in chat completions and in responses", (given, inChat, inResponses) => {
  expect([chat(given), responses(given)]).toEqual([inChat, inResponses]);
});

it.each([
  ["o1", "developer"],
  ["o4-mini", "developer"],
  ["gpt-5", "system"],
  ["openai/o1", "system"],
])("the instructions of %s are a message of the %s", (model, role) => {
  expect(toOpenAiRequest(wire({ model, systemInstruction: "Be kind." })).messages).toEqual([
    { role, content: "Be kind." },
  ]);
});

const TEXT = Buffer.from('{"a":1}').toString("base64");
const data = (mimeType: string, displayName?: string) => ({
  inlineData: { mimeType, data: TEXT, ...(displayName !== undefined && { displayName }) },
});
const link = (fileUri: string, mimeType: string): Part => ({ fileData: { fileUri, mimeType } });
const url = (type: string) => `data:${type};base64,${TEXT}`;

describe("what the user sends", () => {
  it.each<readonly [Part, chat: JsonObject | string | undefined, responses: JsonObject]>([
    [{ text: "hi" }, "hi", { type: "input_text", text: "hi" }],
    [data("text/csv"), '{"a":1}', { type: "input_text", text: '{"a":1}' }],
    [data("application/json"), '{"a":1}', { type: "input_text", text: '{"a":1}' }],
    [
      data("image/png"),
      { type: "image_url", image_url: { url: url("image/png") } },
      { type: "input_image", image_url: url("image/png"), detail: "auto" },
    ],
    ...["audio/wav", "audio/wave", "audio/x-wav"].map(
      (type) =>
        [
          data(type),
          { type: "input_audio", input_audio: { data: TEXT, format: "wav" } },
          { type: "input_file", file_data: url(type), filename: "file" },
        ] as const,
    ),
    ...["audio/mpeg", "audio/mp3"].map(
      (type) =>
        [
          data(type, "a.mp3"),
          { type: "input_audio", input_audio: { data: TEXT, format: "mp3" } },
          { type: "input_file", file_data: url(type), filename: "a.mp3" },
        ] as const,
    ),
    ...([undefined, "a.pdf"] as const).map(
      (name) =>
        [
          data("application/pdf", name),
          { type: "file", file: { filename: name ?? "document.pdf", file_data: url("application/pdf") } },
          { type: "input_file", file_data: url("application/pdf"), filename: name ?? "file" },
        ] as const,
    ),
    ...["http", "https"].map(
      (scheme) =>
        [
          link(`${scheme}://x.test/a.png`, "image/png"),
          { type: "image_url", image_url: { url: `${scheme}://x.test/a.png` } },
          { type: "input_image", image_url: `${scheme}://x.test/a.png`, detail: "auto" },
        ] as const,
    ),
    [
      link("https://x.test/a.pdf", "application/pdf"),
      undefined,
      { type: "input_file", file_url: "https://x.test/a.pdf" },
    ],
  ])("%j is a part of both APIs", (part, inChat, inResponses) => {
    const contents = [{ role: "user", parts: [part] }];
    if (inChat === undefined) expect(() => toOpenAiRequest(wire({ contents }))).toThrow("images only");
    else {
      const content = typeof inChat === "string" ? inChat : [inChat];
      expect(toOpenAiRequest(wire({ contents })).messages).toEqual([{ role: "user", content }]);
    }
    expect(toResponsesRequest(wire({ contents }), STORAGE).input).toEqual([{ role: "user", content: [inResponses] }]);
  });

  it.each([1, 2])(
    "has the media of tools behind their answers in chat completions, and in them in responses: %i",
    (count) => {
      const parts = [data("image/png"), data("text/plain")].slice(0, count);
      const [, ...notes] = [{ type: "image_url" }, { text: '{"a":1}' }].slice(0, count);
      const answer = { functionResponse: { id: "c", name: "look", response: { ok: true }, parts } };
      const contents = [{ role: "user", parts: [answer, { text: "and?" }] }];
      expect(toOpenAiRequest(wire({ contents })).messages).toMatchObject([
        { role: "tool", tool_call_id: "c" },
        { role: "user", content: [{ type: "image_url" }, ...notes, { text: "and?" }] },
      ]);
      expect(toResponsesRequest(wire({ contents }), STORAGE).input).toMatchObject([
        { call_id: "c", output: [{ text: '{"ok":true}' }, { type: "input_image" }, ...notes] },
        { role: "user", content: [{ text: "and?" }] },
      ]);
    },
  );
});

it("sends what the model has said, and its thoughts only where they can go back", () => {
  const mark = { openAi: { reasoning: { id: "r", encrypted: "e" } } };
  const parts = [{ text: "hm", thought: true, partMetadata: mark }, { text: "hm", thought: true }, { text: "Hi" }];
  const contents = [{ role: "model", parts }];
  expect(toOpenAiRequest(wire({ contents })).messages).toEqual([{ role: "assistant", content: "Hi" }]);
  expect(toResponsesRequest(wire({ contents }), STORAGE).input).toEqual([
    { type: "reasoning", id: "r", summary: [{ type: "summary_text", text: "hm" }], encrypted_content: "e" },
    { role: "assistant", content: "Hi" },
  ]);
});

it.each([
  [{ store: true, encrypts: true }, { store: true }],
  [
    { store: false, encrypts: true },
    { store: false, include: ["reasoning.encrypted_content"] },
  ],
  [{ store: false, encrypts: false }, { store: false }],
])("asks for reasoning that can go back: %j", (storage, expected) => {
  expect(defined(toResponsesRequest(wire({}), storage))).toEqual({ model: "m", input: [], ...expected });
});

it.each([
  ["https://api.openai.com/v1", {}],
  ["https://eu.api.openai.com/v1", {}],
  ["HTTPS://API.OPENAI.COM", {}],
  ["https://api.openai.com.evil.test", { top_k: 3 }],
  ["http://localhost:11434/v1", { top_k: 3 }],
])("top_k for %s", (address, expected) => {
  expect(topKFor(address, { config: { topK: 3 } })).toEqual(expected);
});
