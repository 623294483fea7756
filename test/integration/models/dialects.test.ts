import { Claude, Gemini, OpenAiCompatible } from "fairlead/models";
import { describe, expect, it } from "vitest";
import { type Content, textOf, userContent } from "#kit/events/content.ts";
import type { BaseLlm } from "#kit/models/base-llm.ts";
import { LlmRequest } from "#kit/models/llm-request.ts";
import { type Answer, answers, TOOL_NAMES } from "#test/helpers/dialects/answer.ts";
import { CLAUDE_DIALECTS } from "#test/helpers/dialects/claude-dialects.ts";
import type { Dialect } from "#test/helpers/dialects/dialect.ts";
import { type Reply, startDialectServer } from "#test/helpers/dialects/dialect-server.ts";
import { GEMINI_DIALECTS } from "#test/helpers/dialects/gemini-dialects.ts";
import { OPENAI_DIALECTS } from "#test/helpers/dialects/openai-dialects.ts";
import { expectedOf, readAnswer } from "#test/helpers/dialects/read-answer.ts";
import { fc } from "#test/helpers/random/seeded-check.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { type Address, collect } from "./model-suite.ts";

const FAMILIES: readonly {
  readonly family: string;
  readonly dialects: readonly Dialect[];
  readonly create: (options: Address & { readonly model: string }) => BaseLlm;
}[] = [
  { family: "OpenAI's protocol", dialects: OPENAI_DIALECTS, create: (options) => new OpenAiCompatible(options) },
  { family: "Claude's protocol", dialects: CLAUDE_DIALECTS, create: (options) => new Claude(options) },
  { family: "Gemini's protocol", dialects: GEMINI_DIALECTS, create: (options) => new Gemini(options) },
];

const cuts = fc.array(fc.integer({ min: 1, max: 300 }), { maxLength: 6 });

describe.each(FAMILIES)("answers in $family", ({ dialects, create }) => {
  it.each(dialects)("of $name are read as what the model said", async (dialect) => {
    verifies("records:model-answers:dialects");
    let reply: Reply | undefined;
    await using server = await startDialectServer(() => {
      if (reply === undefined) throw new Error("no answer is ready");
      return reply;
    });
    const model = create({ model: dialect.model, apiKey: "test-key", baseUrl: server.url, retry: { maxAttempts: 1 } });
    await fc.assert(
      fc.asyncProperty(answers, cuts, fc.boolean(), async (answer, cuts, stream) => {
        reply = { dialect, answer, cuts };
        const responses = await collect(model, requestOf(dialect, [userContent("Weather?")]), { stream });
        expect(readAnswer(responses, dialect, stream)).toEqual(expectedOf(answer, dialect, { stream }));
      }),
      { numRuns: 30 },
    );
  });

  it.each(dialects)("of $name: it takes the request with what its tools gave", async (dialect) => {
    verifies("records:model-requests:dialects");
    const replies = [ROUND, { ...ROUND, calls: [] }];
    await using server = await startDialectServer(() => ({ dialect, answer: replies.shift() ?? ROUND }));
    const model = create({ model: dialect.model, apiKey: "test-key", baseUrl: server.url, retry: { maxAttempts: 1 } });
    const contents = [userContent("Weather?")];
    const ask = async (): Promise<Content> => {
      return (await collect(model, requestOf(dialect, contents))).at(-1)?.content ?? {};
    };
    contents.push(withIds(await ask()));
    contents.push(responsesTo(contents.at(-1)));
    expect(textOf(await ask())).toBe(ROUND.text);
    expect(JSON.stringify(server.requests.at(-1)?.body)).toMatch(/"max(_completion|Output|)_?[tT]okens":100/);
  });
});

function requestOf({ model }: Dialect, contents: readonly Content[]): LlmRequest {
  const request = new LlmRequest({ model, contents: [...contents], config: { maxOutputTokens: 100 } });
  request.appendTools(...TOOL_NAMES.map((name) => ({ name, getDeclaration: () => ({ name }) })));
  return request;
}

const ROUND: Answer = {
  thought: "I must look it up.",
  text: "Let me see.",
  calls: [
    { name: "get_weather", args: { city: "Paris" } },
    { name: "get_weather", args: { city: "Rome" } },
  ],
  end: "done",
  usage: { prompt: 10, output: 5, thoughts: 7, cached: 0 },
};

/** As the kit stores an answer: with an id for each call. */
function withIds(content: Content): Content {
  const parts = content.parts?.map((part, index) =>
    part.functionCall === undefined ? part : { ...part, functionCall: { id: `adk-${index}`, ...part.functionCall } },
  );
  return { role: "model", ...(parts !== undefined && { parts }) };
}

function responsesTo(content: Content | undefined): Content {
  const calls = content?.parts?.flatMap(({ functionCall }) => functionCall ?? []) ?? [];
  return {
    role: "user",
    parts: calls.map(({ id = "", name = "" }) => ({ functionResponse: { id, name, response: { result: "sunny" } } })),
  };
}
