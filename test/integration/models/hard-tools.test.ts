import { describe, expect, it } from "vitest";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { BaseLlm } from "#kit/models/base-llm.ts";
import { Claude } from "#kit/models/claude/claude.ts";
import { Gemini } from "#kit/models/gemini/gemini.ts";
import { OpenAiCompatible } from "#kit/models/openai/openai-compatible.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import type { Answer } from "#test/helpers/dialects/answer.ts";
import { CLAUDE_DIALECTS } from "#test/helpers/dialects/claude-dialects.ts";
import type { Dialect } from "#test/helpers/dialects/dialect.ts";
import { startDialectServer } from "#test/helpers/dialects/dialect-server.ts";
import { GEMINI_DIALECTS } from "#test/helpers/dialects/gemini-dialects.ts";
import { OPENAI_DIALECTS } from "#test/helpers/dialects/openai-dialects.ts";
import { readRequest } from "#test/helpers/dialects/read-request.ts";
import { HARD_SCHEMAS } from "#test/helpers/providers/hard-schemas.ts";
import { sampleOf } from "#test/helpers/providers/sample-arguments.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";

/** Names that one provider or another refuses, with each schema. */
const NAMES = ["files.read", "9lives", "x".repeat(80), "-dash", "get-user.by.id", "plain"];
const TOOLS = Object.values(HARD_SCHEMAS).map((parameters, index) => ({
  name: `${NAMES[index % NAMES.length]}${index < NAMES.length ? "" : index}`,
  parameters,
}));

const FAMILIES: readonly (readonly [(baseUrl: string, model: string) => BaseLlm, readonly Dialect[]])[] = [
  [
    (baseUrl, model) => new OpenAiCompatible({ baseUrl, model, apiKey: "test-key" }),
    OPENAI_DIALECTS.filter(({ reports }) => reports.manyCalls),
  ],
  [(baseUrl, model) => new Claude({ baseUrl, model, apiKey: "test-key" }), CLAUDE_DIALECTS],
  [(baseUrl, model) => new Gemini({ baseUrl, model, apiKey: "test-key" }), GEMINI_DIALECTS],
];

/** Calls each tool once, with the names and arguments that the request describes. */
function answerTo(body: JsonObject): Answer {
  const { contents, functionDeclarations } = readRequest(body);
  const isAnswered = contents.at(-1)?.parts?.some(({ functionResponse }) => functionResponse !== undefined) === true;
  const calls = functionDeclarations.map(({ name, parameters = {} }) => {
    const args = sampleOf(parameters);
    return { name, args: isJsonObject(args) ? args : {} };
  });
  const usage = { prompt: 10, output: 5, thoughts: 0, cached: 0 };
  return { thought: "", text: isAnswered ? "Done." : "", calls: isAnswered ? [] : calls, end: "done", usage };
}

for (const [create, dialects] of FAMILIES)
  describe.each(dialects)("a server that checks names and schemas as $name does", (dialect) => {
    it("takes tools of any name and schema, and their calls come back as the tools have them", async () => {
      verifies("providers:tools:schemas", "providers:tools:root");
      await using server = await startDialectServer((body) => ({ dialect, answer: answerTo(body) }));
      const called = new Set<string>();
      const tools = TOOLS.map(
        ({ name, parameters }) =>
          new FunctionTool({ name, description: "Does it.", parameters, execute: () => called.add(name) && "ok" }),
      );
      const model = create(server.url, dialect.model);
      const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools }));
      const events = await world.run("Do everything.");
      const failures = events.flatMap(({ content }) =>
        (content?.parts ?? []).flatMap(({ functionResponse }) => functionResponse?.response?.["error"] ?? []),
      );
      expect(failures).toEqual([]);
      expect([...called].sort()).toEqual(TOOLS.map(({ name }) => name).sort());
      expect(events.at(-1)?.content?.parts?.[0]).toMatchObject({ text: "Done." });
    });
  });
