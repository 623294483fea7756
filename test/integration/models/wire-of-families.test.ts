import { readdirSync } from "node:fs";
import { Claude, Gemini, OpenAiCompatible } from "fairlead/models";
import { expect, it } from "vitest";
import type { Content } from "#kit/events/content.ts";
import type { BaseLlm } from "#kit/models/base-llm.ts";
import { type GenerateContentConfig, LlmRequest } from "#kit/models/llm-request.ts";
import { answerJson, answerSse, fixture, fixturePath, startWireServer } from "#test/helpers/servers/wire-server.ts";
import { collect } from "./model-suite.ts";

type Create = (address: { readonly model: string; readonly baseUrl: string }) => BaseLlm;

const own = { apiKey: "test-key", sleep: async () => {}, retry: { maxAttempts: 1 } };
const FAMILIES: readonly (readonly [string, string, Create])[] = [
  ["openai", "gpt-5-mini", (address) => new OpenAiCompatible({ ...address, ...own })],
  ["claude", "claude-opus-5", (address) => new Claude({ ...address, ...own })],
  ["gemini", "gemini-3.8-flash", (address) => new Gemini({ ...address, ...own })],
];

const PNG = { mimeType: "image/png", data: "iVBORw0KGgo=" };
const call = (id: string, args: object = {}) => ({ functionCall: { id, name: "look", args: { ...args } } });
const answer = (id: string, more: object = {}) => ({
  functionResponse: { id, name: "look", response: { ok: true }, ...more },
});

/** What a prompt may have, each with the message of the user that it needs before it. */
const CONTENTS: Readonly<Record<string, readonly Content[]>> = {
  texts: [
    { role: "user", parts: [{ text: "one" }, { text: "two" }] },
    { role: "model", parts: [{ text: "three" }] },
    { role: "model", parts: [{ text: "four" }] },
    { role: "user", parts: [{ text: "five" }] },
  ],
  thoughts: [
    { role: "user", parts: [{ text: "go" }] },
    { role: "model", parts: [{ text: "I think.", thought: true, thoughtSignature: "c2ln" }, { text: "Said." }] },
    { role: "user", parts: [{ text: "on" }] },
  ],
  calls: [
    { role: "user", parts: [{ text: "go" }] },
    { role: "model", parts: [{ text: "Let me see." }, call("c1", { city: "Köln" }), call("c2")] },
    { role: "user", parts: [answer("c1"), answer("c2", { parts: [{ inlineData: PNG }] }), { text: "and?" }] },
  ],
  "ids that no provider takes": [
    { role: "user", parts: [{ text: "go" }] },
    { role: "model", parts: [call("c 1/".repeat(30))] },
    { role: "user", parts: [answer("c 1/".repeat(30))] },
  ],
  media: [
    {
      role: "user",
      parts: [
        { inlineData: PNG },
        { fileData: { fileUri: "https://x.example/a.png", mimeType: "image/png" } },
        { text: "what?" },
      ],
    },
  ],
  code: [
    { role: "user", parts: [{ text: "go" }] },
    { role: "model", parts: [{ executableCode: { language: "PYTHON", code: "1 + 1" } }] },
    { role: "user", parts: [{ codeExecutionResult: { outcome: "OUTCOME_OK", output: "2" } }] },
  ],
  "a model that speaks first": [{ role: "model", parts: [{ text: "Hello." }] }],
};

const SCHEMA = {
  type: "object",
  properties: {
    city: { type: "string", description: "Where.", enum: ["Rome", "Paris"] },
    days: { type: "integer", minimum: 1, maximum: 9 },
    tags: { type: "array", items: { $ref: "#/$defs/tag" } },
    either: { anyOf: [{ type: "string" }, { type: "null" }] },
  },
  required: ["city"],
  $defs: { tag: { type: "string", minLength: 1 } },
};

const CONFIGS: Readonly<Record<string, GenerateContentConfig>> = {
  nothing: {},
  sampling: { temperature: 0.25, topP: 0.5, topK: 7, maxOutputTokens: 99, stopSequences: ["END"], seed: 3 },
  penalties: { presencePenalty: 0.1, frequencyPenalty: 0.2, candidateCount: 1, labels: { team: "a" } },
  thinking: { thinkingConfig: { thinkingBudget: 2048, includeThoughts: true } },
  "a forced tool": { toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["look"] } } },
  "no tool": { toolConfig: { functionCallingConfig: { mode: "NONE" } } },
  "an answer by schema": { responseSchema: SCHEMA, responseMimeType: "application/json" },
  "a list by schema": { responseSchema: { type: "array", items: { type: "number" } } },
};

function requestOf(model: string, contents: readonly Content[], config: GenerateContentConfig, hasTools: boolean) {
  const request = new LlmRequest({ model, contents: [...contents], config });
  request.appendInstructions("Be kind.", "Be brief.");
  if (hasTools)
    for (const name of ["look", "my-tool_2"])
      request.appendTools({ name, getDeclaration: () => ({ name, description: `Does ${name}.`, parameters: SCHEMA }) });
  return request;
}

/** Without the ports of the servers, which are others each time. */
function textOf(lines: readonly string[]): string {
  return `${lines.join("\n")}\n`.replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:port");
}

it.each(FAMILIES)("%s is sent what it was sent before", async (family, model, create) => {
  await using server = await startWireServer(answerJson("{}", 400));
  const lines: string[] = [];
  const send = async (title: string, request: LlmRequest, stream: boolean): Promise<void> => {
    const before = server.requests.length;
    const failure = await collect(create({ model, baseUrl: server.url }), request, { stream }).catch(
      ({ reason, message }) => `${reason} ${message}`,
    );
    lines.push(`${title}, ${stream ? "streamed" : "whole"}`);
    for (const { path, body } of server.requests.slice(before)) lines.push(`  ${path} ${JSON.stringify(body)}`);
    if (server.requests.length === before) lines.push(`  ${String(failure)}`);
  };
  for (const [title, contents] of Object.entries(CONTENTS))
    await send(title, requestOf(model, contents, {}, title === "calls"), title !== "texts");
  const [texts = []] = Object.values(CONTENTS);
  for (const [title, config] of Object.entries(CONFIGS))
    for (const hasTools of [false, true])
      await send(`${title}${hasTools ? " with tools" : ""}`, requestOf(model, texts, config, hasTools), hasTools);
  await expect(textOf(lines)).toMatchFileSnapshot(`wire-of-families/${family}-requests.txt`);
});

it.each(FAMILIES)("%s is understood as it was before", async (family, model, create) => {
  const lines: string[] = [];
  for (const file of readdirSync(fixturePath(family))
    .filter((name) => /^(?!responses).*\.(json|sse\.txt)$/.test(name))
    .toSorted()) {
    const text = fixture(`${family}/${file}`);
    const status = Number(/error-(\d+)/.exec(file)?.[1] ?? 200);
    const stream = file.endsWith(".txt");
    await using server = await startWireServer(stream ? answerSse(text) : answerJson(text, status));
    lines.push(file);
    const request = requestOf(model, CONTENTS["texts"] ?? [], {}, true);
    const responses = create({ model, baseUrl: server.url }).generateContentAsync(request, {
      stream,
      signal: new AbortController().signal,
    });
    try {
      for await (const response of responses) lines.push(`  ${JSON.stringify(response)}`);
    } catch (error) {
      const { reason, message, category } = error as { reason?: string; message?: string; category?: string };
      lines.push(`  ${reason} ${category} ${message}`);
    }
  }
  await expect(textOf(lines)).toMatchFileSnapshot(`wire-of-families/${family}-answers.txt`);
});
