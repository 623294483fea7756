import { describe, expect, it } from "vitest";
import { GenAiFieldMissingException, MessageConversionException } from "#kit/errors/kit-errors.ts";
import { type Part, userContent } from "#kit/events/content.ts";
import { toClaudeRequest } from "#kit/models/claude/claude-convert.ts";
import { toGeminiRequest } from "#kit/models/gemini/gemini-convert.ts";
import { type GenerateContentConfig, LlmRequest } from "#kit/models/llm-request.ts";
import { toOpenAiRequest } from "#kit/models/openai/openai-convert.ts";
import type { WireRequest } from "#kit/models/wire/wire-request.ts";
import { formFor } from "#test/helpers/dialects/prompt-rules.ts";
import { verifies } from "#test/helpers/verifies.ts";

const TOOL = { name: "f", getDeclaration: () => ({ name: "f" }) };

function requestOf(role: string, parts: readonly Part[], config: GenerateContentConfig = {}): LlmRequest {
  const request = new LlmRequest({ model: "m", contents: [{ role, parts }], config });
  request.appendTools(TOOL);
  return request;
}

/** The request without the rules of a provider, which replace what a protocol cannot express. */
const bare = ({ model, systemInstruction, contents, config, functionDeclarations }: LlmRequest): WireRequest => ({
  ...{ model, systemInstruction, contents, config, functionDeclarations },
  contextCache: undefined,
  strictOutput: false,
});
const openAi = (role: string, ...parts: readonly Part[]): readonly unknown[] =>
  toOpenAiRequest(formFor("openai", requestOf(role, parts))).messages;
const claude = (role: string, ...parts: readonly Part[]): unknown =>
  toClaudeRequest(formFor("claude", requestOf(role, parts)), undefined).messages;
const withCalling = (functionCallingConfig: object): LlmRequest =>
  // A tool-calling config is JSON.
  requestOf("user", [{ text: "Hi" }], {
    toolConfig: { functionCallingConfig } as NonNullable<GenerateContentConfig["toolConfig"]>,
  });

const image = { inlineData: { mimeType: "image/png", data: "aGk=" } };
const code = { executableCode: { language: "PYTHON", code: "1+1" } };
const result = { codeExecutionResult: { outcome: "OUTCOME_OK" as const, output: "2" } };

describe("messages for OpenAI-compatible models", () => {
  it("convert media to the form for their type", () => {
    const media = (mimeType: string, displayName?: string): Part => ({
      inlineData: { mimeType, data: "aGk=", ...(displayName !== undefined && { displayName }) },
    });
    expect(
      openAi(
        "user",
        image,
        media("text/plain"),
        media("audio/wav"),
        media("audio/mpeg"),
        media("application/pdf", "a.pdf"),
        { fileData: { fileUri: "https://example.com/a.png", mimeType: "image/png" } },
      ),
    ).toEqual([
      {
        role: "user",
        content: [
          { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
          { type: "text", text: "hi" },
          { type: "input_audio", input_audio: { data: "aGk=", format: "wav" } },
          { type: "input_audio", input_audio: { data: "aGk=", format: "mp3" } },
          { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,aGk=" } },
          { type: "image_url", image_url: { url: "https://example.com/a.png" } },
        ],
      },
    ]);
  });

  it("contain code and pictures of the model as text, and no thoughts", () => {
    expect(openAi("model", { text: "hm", thought: true }, { text: "Look:" }, code, result, image).slice(1, -1)).toEqual(
      [{ role: "assistant", content: "Look:```python\n1+1\n``````output\n2\n```[image/png]" }],
    );
  });

  it("contain pictures of a tool after the tool's answer", () => {
    expect(
      openAi("user", { functionResponse: { id: "c1", name: "f", response: { ok: true }, parts: [image] } }),
    ).toEqual([
      { role: "tool", tool_call_id: "c1", content: '{"ok":true}' },
      { role: "user", content: [{ type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } }] },
    ]);
  });

  it("contain Gemini's thought signature with its call", () => {
    const call = (id: string): Part => ({ functionCall: { id, name: "f", args: { a: 1 } } });
    const expected = (id: string) => ({ id, type: "function", function: { name: "f", arguments: '{"a":1}' } });
    const signed = {
      ...call("1"),
      thoughtSignature: "s1",
      partMetadata: { thoughtOf: "openai-compatible gemini-3-pro" },
    };
    const request = new LlmRequest({
      model: "gemini-3-pro",
      contents: [{ role: "model", parts: [signed, call("2")] }],
    });
    expect(toOpenAiRequest(formFor("openai-compatible", request)).messages.slice(1, -1)).toEqual([
      {
        role: "assistant",
        content: null,
        tool_calls: [{ ...expected("1"), extra_content: { google: { thought_signature: "s1" } } }, expected("2")],
      },
    ]);
  });

  it("use the role developer for models of the o series", () => {
    const request = new LlmRequest({ model: "o4-mini" });
    request.appendInstructions("Be brief.");
    expect(toOpenAiRequest(formFor("openai", request)).messages[0]).toEqual({
      role: "developer",
      content: "Be brief.",
    });
  });

  it.each([
    [{ mode: "ANY" }, "required"],
    [
      { mode: "ANY", allowedFunctionNames: ["f"] },
      { type: "function", function: { name: "f" } },
    ],
    [{ mode: "NONE" }, "none"],
    [{ mode: "AUTO" }, undefined],
  ])("choose tools by %j", (calling, choice) => {
    expect(toOpenAiRequest(formFor("openai", withCalling(calling))).tool_choice).toEqual(choice);
  });

  it("use a strict schema only if all of it is closed and required", () => {
    const format = (schema: GenerateContentConfig["responseSchema"]): unknown =>
      toOpenAiRequest(
        formFor("openai", requestOf("user", [{ text: "Hi" }], schema === undefined ? {} : { responseSchema: schema })),
      ).response_format;
    const closed = {
      type: "object",
      properties: { a: { type: "string" } },
      required: ["a"],
      additionalProperties: false,
    };
    const openInside = { ...closed, properties: { a: { type: "object", properties: {} } } };
    expect([format(closed), format(openInside), format(undefined)]).toEqual([
      { type: "json_schema", json_schema: { name: "response", schema: closed, strict: true } },
      { type: "json_schema", json_schema: { name: "response", schema: openInside, strict: false } },
      undefined,
    ]);
  });
});

describe("messages for Claude", () => {
  it("convert media to the form for their type", () => {
    expect(
      claude(
        "user",
        image,
        { inlineData: { mimeType: "text/plain", data: "aGk=" } },
        { inlineData: { mimeType: "application/pdf", data: "aGk=" } },
        { fileData: { fileUri: "https://example.com/a.png", mimeType: "image/png" } },
        { functionResponse: { id: "c1", name: "f", response: { result: "done" }, parts: [image] } },
      ),
    ).toEqual([
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "c1",
            content: [
              { type: "text", text: "done" },
              { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } },
            ],
          },
          { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } },
          { type: "text", text: "hi" },
          { type: "document", source: { type: "base64", media_type: "application/pdf", data: "aGk=" } },
          { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
        ],
      },
    ]);
  });

  it("are never empty", () => {
    const { messages } = toClaudeRequest(formFor("claude", new LlmRequest({ model: "m" })), undefined);
    expect(messages).toEqual([
      { role: "user", content: [{ type: "text", text: expect.stringContaining("Carry on") }] },
    ]);
  });

  it.each([
    [{}, { max_tokens: 8192 }],
    [{ maxOutputTokens: 50 }, { max_tokens: 50 }],
    [{ thinkingConfig: { thinkingBudget: 0 } }, { max_tokens: 8192, thinking: { type: "disabled" } }],
    [{ thinkingConfig: { thinkingBudget: -1 } }, { max_tokens: 8192, thinking: { type: "adaptive" } }],
    [
      { thinkingConfig: { thinkingBudget: 10 } },
      { max_tokens: 8192, thinking: { type: "enabled", budget_tokens: 1024 } },
    ],
    [
      { maxOutputTokens: 500, thinkingConfig: { thinkingBudget: 2000 } },
      { max_tokens: 2500, thinking: { type: "enabled", budget_tokens: 2000 } },
    ],
    [
      { maxOutputTokens: 2000, thinkingConfig: { thinkingBudget: 2000 } },
      { max_tokens: 4000, thinking: { type: "enabled", budget_tokens: 2000 } },
    ],
    [
      { maxOutputTokens: 2001, thinkingConfig: { thinkingBudget: 2000 } },
      { max_tokens: 2001, thinking: { type: "enabled", budget_tokens: 2000 } },
    ],
  ])("leave room for thinking and answer with %j", (config, expected) => {
    const { max_tokens, thinking } = toClaudeRequest(
      formFor("claude", requestOf("user", [{ text: "Hi" }], config)),
      undefined,
    );
    expect({ max_tokens, ...(thinking !== undefined && { thinking }) }).toEqual(expected);
  });

  it.each([
    [{ mode: "ANY" }, { type: "any" }],
    [
      { mode: "ANY", allowedFunctionNames: ["f"] },
      { type: "tool", name: "f" },
    ],
    [{ mode: "NONE" }, { type: "none" }],
    [{ mode: "AUTO" }, undefined],
  ])("choose tools by %j", (calling, choice) => {
    expect(toClaudeRequest(formFor("claude", withCalling(calling)), undefined).tool_choice).toEqual(choice);
  });
});

describe("messages for Gemini", () => {
  const toGemini = (request: LlmRequest, vertexAi: boolean): ReturnType<typeof toGeminiRequest> =>
    toGeminiRequest(formFor(vertexAi ? "vertex" : "gemini", request), { vertexAi }, new AbortController().signal);

  it("keep display names and labels for Vertex AI, which supports them", () => {
    const named = { inlineData: { mimeType: "image/png", data: "aGk=", displayName: "a.png" } };
    const request = requestOf("user", [named], { labels: { team: "blue" } });
    const { contents, config } = toGemini(request, true);
    expect([contents, config?.labels]).toEqual([[{ role: "user", parts: [named] }], { team: "blue" }]);
  });

  it("omit display names for the Gemini API, which refuses them", () => {
    const parts = [
      { fileData: { fileUri: "https://example.com/a.png", mimeType: "image/png", displayName: "a.png" } },
      { inlineData: { mimeType: "image/png", data: "aGk=", displayName: "b.png" } },
    ];
    expect(toGemini(requestOf("user", parts), false).contents).toEqual([
      { role: "user", parts: [{ fileData: { fileUri: "https://example.com/a.png", mimeType: "image/png" } }, image] },
    ]);
    expect(toGemini(requestOf("user", parts), true).contents).toEqual([{ role: "user", parts }]);
  });

  it("share the contents that need no change", () => {
    const request = requestOf("user", [{ text: "Hi" }]);
    // The list contains contents of the kit.
    const [content] = toGemini(request, false).contents as readonly unknown[];
    expect(content).toBe(request.contents[0]);
  });

  it("keep the model's own call ids, and omit contents without parts", () => {
    const call = { role: "model", parts: [{ functionCall: { id: "fc_1", name: "f", args: {} } }] };
    const response = { role: "user", parts: [{ functionResponse: { id: "fc_1", name: "f", response: {} } }] };
    const contents = [userContent("Hi"), call, { role: "model", parts: [] }, response];
    const request = new LlmRequest({ model: "m", contents });
    expect(toGemini(request, false).contents).toEqual([userContent("Hi"), call, response]);
  });
});

describe("what cannot be converted", () => {
  const conversions = [
    ["OpenAI-compatible models", (role: string, part: Part) => toOpenAiRequest(bare(requestOf(role, [part])))],
    ["Claude", (role: string, part: Part) => toClaudeRequest(bare(requestOf(role, [part])), undefined)],
  ] as const;

  it.each(conversions)("is refused with the reason: media that %s do not support", (_, convert) => {
    verifies("errors:message-conversion");
    expect(() => convert("user", { inlineData: { mimeType: "video/mp4", data: "aGk=" } })).toThrow(
      MessageConversionException,
    );
    expect(() => convert("user", { fileData: { fileUri: "gs://bucket/a.png", mimeType: "image/png" } })).toThrow(
      MessageConversionException,
    );
  });

  it.each(conversions)("is refused with the field: empty ids and names for %s", (_, convert) => {
    verifies("errors:field-missing");
    expect(() => convert("model", { functionCall: { id: "c1" } })).toThrow(
      new GenAiFieldMissingException("A required field is empty: functionCall.name."),
    );
    expect(() => convert("model", { functionCall: { name: "f" } })).toThrow(
      new GenAiFieldMissingException("A required field is empty: functionCall.id of f."),
    );
    expect(() => convert("user", { functionResponse: { name: "f" } })).toThrow(GenAiFieldMissingException);
    expect(() => convert("user", { inlineData: { data: "aGk=" } })).toThrow(GenAiFieldMissingException);
  });

  it.each([
    ["OpenAI-compatible models", (request: LlmRequest) => toOpenAiRequest(formFor("openai", request))],
    ["Claude", (request: LlmRequest) => toClaudeRequest(formFor("claude", request), undefined)],
  ] as const)("is refused with the fix: tools that only Gemini has, for %s", (_, convert) => {
    expect(() => convert(requestOf("user", [{ text: "Hi" }], { modelTools: [{ googleSearch: {} }] }))).toThrow(
      'Model "m" has no built-in googleSearch. Remove the tool or use a Gemini model.',
    );
  });
});
