import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { AiSdkModel, type BaseLlm, Claude, Gemini, OpenAiCompatible } from "fairlead/models";
import { describe, expect, it } from "vitest";
import type { Content, Part } from "#kit/events/content.ts";
import { createContextCacheConfig } from "#kit/models/context-cache-config.ts";
import { LlmRequest } from "#kit/models/llm-request.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { type Answer, answers, TOOL_NAMES } from "#test/helpers/dialects/answer.ts";
import { CLAUDE_DIALECTS } from "#test/helpers/dialects/claude-dialects.ts";
import type { Dialect } from "#test/helpers/dialects/dialect.ts";
import { type Reply, startDialectServer } from "#test/helpers/dialects/dialect-server.ts";
import { GEMINI_DIALECTS } from "#test/helpers/dialects/gemini-dialects.ts";
import { OPENAI_DIALECTS } from "#test/helpers/dialects/openai-dialects.ts";
import { readRequest } from "#test/helpers/dialects/read-request.ts";
import { fc } from "#test/helpers/random/seeded-check.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { collect } from "./model-suite.ts";

const apiKey = "test-key";
const ONCE = { maxAttempts: 1 };

interface Family {
  readonly name: string;
  readonly dialect: Dialect;
  readonly create: (model: string, baseUrl: string) => BaseLlm;
  /** Whether thoughts go back: some protocols have no place for them. */
  readonly returnsThoughts: boolean;
}

const [OPENAI, CLAUDE, GEMINI] = [OPENAI_DIALECTS, CLAUDE_DIALECTS, GEMINI_DIALECTS].map(first);

const PLAIN_CLAUDE = CLAUDE_DIALECTS.find(({ name }) => name === "a Bedrock gateway that sends data only");

const FAMILIES: readonly Family[] = [
  {
    name: "Gemini",
    dialect: GEMINI as Dialect,
    create: (model, baseUrl) => new Gemini({ model, baseUrl, apiKey, retry: ONCE }),
    returnsThoughts: true,
  },
  {
    name: "Claude",
    dialect: CLAUDE as Dialect,
    create: (model, baseUrl) => new Claude({ model, baseUrl, apiKey, retry: ONCE }),
    returnsThoughts: true,
  },
  {
    name: "OpenAiCompatible",
    dialect: OPENAI as Dialect,
    create: (model, baseUrl) => new OpenAiCompatible({ model, baseUrl, apiKey, retry: ONCE }),
    returnsThoughts: false,
  },
  {
    name: "AiSdkModel of Anthropic",
    // The package takes no event of an unknown type.
    dialect: PLAIN_CLAUDE as Dialect,
    create: (model, baseURL) =>
      new AiSdkModel({ languageModel: createAnthropic({ baseURL, apiKey })(model), retry: ONCE }),
    returnsThoughts: true,
  },
  {
    name: "AiSdkModel of Google",
    dialect: GEMINI as Dialect,
    create: (model, baseURL) =>
      new AiSdkModel({ languageModel: createGoogle({ baseURL, apiKey })(model), retry: ONCE }),
    returnsThoughts: true,
  },
  {
    name: "AiSdkModel of OpenAI's protocol",
    dialect: OPENAI as Dialect,
    create: (model, baseURL) =>
      new AiSdkModel({
        languageModel: createOpenAICompatible({ name: "house", baseURL, apiKey, supportsStructuredOutputs: true })(
          model,
        ),
        retry: ONCE,
      }),
    returnsThoughts: false,
  },
];

function first(dialects: readonly Dialect[]): Dialect {
  const [dialect] = dialects;
  if (dialect === undefined) throw new Error("A family has at least one dialect.");
  return dialect;
}

const IMAGE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=";
const SCHEMA = { type: "object", properties: { city: { type: "string" } }, required: ["city"] } as const;

interface Round {
  readonly question: string;
  readonly hasImage: boolean;
  readonly answer: Answer;
}

const question = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 30 })
  .map((text) => text.toWellFormed().trim())
  .filter((text) => text !== "");

const conversations = fc.record({
  rounds: fc.array(
    fc.record({ question, hasImage: fc.boolean(), answer: answers.filter(({ end }) => end === "done") }),
    { minLength: 1, maxLength: 3 },
  ),
  stream: fc.boolean(),
  isStructured: fc.boolean(),
  isCached: fc.boolean(),
});

/** One thing that was said, in the order of the conversation. */
type Said = readonly [kind: "user" | "model" | "call" | "result", ...what: readonly unknown[]];

function saidIn({ question: asked, answer }: Round): readonly Said[] {
  const text: readonly Said[] = answer.text === "" ? [] : [["model", answer.text]];
  return [
    ["user", asked],
    ...text,
    ...answer.calls.map(({ name, args }): Said => ["call", name, args]),
    ...answer.calls.map(({ name }, index): Said => ["result", name, { place: index }]),
  ];
}

function saidInRequest({ contents }: LlmRequest): readonly Said[] {
  return contents.flatMap(({ role, parts = [] }) =>
    parts.flatMap((part): readonly Said[] => {
      const { text, thought, functionCall, functionResponse } = part;
      if (functionCall !== undefined) return [["call", functionCall.name, functionCall.args ?? {}]];
      if (functionResponse !== undefined)
        return [["result", functionResponse.name, unwrapped(functionResponse.response)]];
      if (thought === true || text === undefined || text === "") return [];
      return [[role === "model" ? "model" : "user", text]];
    }),
  );
}

/** Google's package of the AI SDK sends the result as a text in an object. */
function unwrapped(response: JsonObject | undefined): unknown {
  const { name, content } = response ?? {};
  return typeof name === "string" && typeof content === "string" ? JSON.parse(content) : response;
}

/** As the kit stores an answer: with an id for each call. */
function stored(content: Content | undefined, round: number): Content {
  const parts = content?.parts?.map((part, index) =>
    part.functionCall === undefined
      ? part
      : { ...part, functionCall: { ...part.functionCall, id: part.functionCall.id || `adk-${round}-${index}` } },
  );
  return { role: "model", parts: parts ?? [] };
}

function responsesTo({ parts = [] }: Content): readonly Content[] {
  const calls = parts.flatMap(({ functionCall }) => functionCall ?? []);
  const responses = calls.map(({ id = "", name = "" }, place): Part => {
    return { functionResponse: { id, name, response: { place } } };
  });
  return responses.length === 0 ? [] : [{ role: "user", parts: responses }];
}

/** The thoughts of a request's body, wherever the protocol has them. */
function thoughtsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(thoughtsIn);
  if (!isJsonObject(value)) return [];
  if (value["thought"] === true && typeof value["text"] === "string") return [value["text"]];
  if (typeof value["thinking"] === "string") return [value["thinking"]];
  return Object.values(value).flatMap(thoughtsIn);
}

describe.each(FAMILIES)("a conversation with $name", ({ dialect, create, returnsThoughts }) => {
  it("goes back as it was said: texts, thoughts, images, parallel calls, structured answers, with a cache or without", async () => {
    verifies("authentication:model:conversations");
    let reply: Reply | undefined;
    await using server = await startDialectServer(() => {
      if (reply === undefined) throw new Error("no answer is ready");
      return reply;
    });
    const model = create(dialect.model, server.url);
    const isOfGemini = dialect === GEMINI;
    await fc.assert(
      fc.asyncProperty(conversations, async ({ rounds, stream, isStructured, isCached }) => {
        const contents: Content[] = [];
        const ask = async (): Promise<Content | undefined> => {
          const config = isStructured ? { responseSchema: SCHEMA } : {};
          const request = new LlmRequest({ model: dialect.model, contents: [...contents], config });
          request.appendTools(...TOOL_NAMES.map((name) => ({ name, getDeclaration: () => ({ name }) })));
          // Gemini's caches are a service of their own.
          if (isCached && !isOfGemini)
            request.contextCache = { config: createContextCacheConfig({}), onFailure: () => undefined };
          return (await collect(model, request, { stream })).at(-1)?.content;
        };
        for (const [index, { question: asked, hasImage, answer }] of rounds.entries()) {
          const image: readonly Part[] = hasImage ? [{ inlineData: { mimeType: "image/png", data: IMAGE } }] : [];
          contents.push({ role: "user", parts: [{ text: asked }, ...image] });
          reply = { dialect, answer };
          const said = stored(await ask(), index);
          contents.push(said, ...responsesTo(said));
        }
        contents.push({ role: "user", parts: [{ text: "And now?" }] });
        await ask();
        const body: JsonObject = Object(server.requests.at(-1)?.body);
        const request = readRequest(body);
        expect(saidInRequest(request)).toEqual([...rounds.flatMap(saidIn), ["user", "And now?"]]);
        expect(JSON.stringify(body).split(IMAGE).length - 1).toBe(rounds.filter(({ hasImage }) => hasImage).length);
        expect(request.config.responseSchema !== undefined).toBe(isStructured);
        if (returnsThoughts) {
          const thoughts = rounds.map(({ answer }) => answer.thought).filter((thought) => thought !== "");
          expect(thoughtsIn(body)).toEqual(thoughts);
        }
      }),
      { numRuns: 25 },
    );
  });
});
