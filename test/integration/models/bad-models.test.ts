import { setImmediate as nextLoop } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { modelContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { BaseLlm } from "#kit/models/base-llm.ts";
import { Claude } from "#kit/models/claude/claude.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { functionCallResponse, ScriptedModel, type ScriptedStep, streamedText } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { answerSse, fixture, startWireServer } from "#test/helpers/servers/wire-server.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { startServerWorld } from "#test/helpers/worlds/server-world.ts";

const look = new FunctionTool({ name: "look_up", description: "Looks up.", execute: () => ({ found: true }) });

/** Values against the type that a foreign adapter may return. */
function nonsense(response: unknown): LlmResponse {
  return response as LlmResponse;
}

function parts(...list: readonly unknown[]): LlmResponse {
  return nonsense({ content: { role: "model", parts: list } });
}

function circular(): object {
  const value: { self?: object } = {};
  value.self = value;
  return value;
}

/** Answers by the steps, and from the next turn on only "well". */
function agentWith(steps: readonly ScriptedStep[]): LlmAgent {
  const script = new ScriptedModel(steps);
  const model: BaseLlm = {
    model: "odd",
    async *generateContentAsync(request, options) {
      if (JSON.stringify(request.contents.at(-1)).includes("still there")) yield { content: modelContent("well") };
      else yield* script.generateContentAsync(request, options);
    },
  };
  return new LlmAgent({ name: "helper", model, tools: [look] });
}

const called = (args: unknown, partMetadata?: object) =>
  parts({ functionCall: { name: "look_up", args }, partMetadata });
const INVALID = "helper: ! MESSAGE_CONVERSION: Invalid message structure:";
const UNREADABLE = "The arguments of this call of look_up cannot be read, so it did not run.";

/** The model's answer, and the events of the turn in the session. */
const CASES: readonly (readonly [string, readonly ScriptedStep[], readonly string[]])[] = [
  [
    "a tool that is not there",
    [functionCallResponse("made_up", { x: 1 }), "I see"],
    [
      'helper: made_up({"x":1})',
      'helper: made_up -> {"error":"There is no tool named \\"made_up\\". Tools are: look_up."}',
      "helper: I see",
    ],
  ],
  [
    "a tool with the name of an object's own member",
    [functionCallResponse("__proto__"), "I see"],
    [
      "helper: __proto__({})",
      'helper: __proto__ -> {"error":"There is no tool named \\"__proto__\\". Tools are: look_up."}',
      "helper: I see",
    ],
  ],
  [
    "a call without a name",
    [parts({ functionCall: { args: {} } })],
    ["helper: ! FIELD_MISSING: A required field is empty: functionCall.name."],
  ],
  [
    "arguments that are a list",
    [called([1]), "I see"],
    [
      "helper: look_up(undefined)",
      `helper: look_up -> {"error":"${UNREADABLE} The arguments are a list, not an object. They were: [1] Call it again with a JSON object."}`,
      "helper: I see",
    ],
  ],
  [
    "arguments in broken JSON",
    [called({}, { unreadableArguments: "JSON parsing failed. They were: {" }), "I see"],
    [
      "helper: look_up({})",
      `helper: look_up -> {"error":"${UNREADABLE} JSON parsing failed. They were: { Call it again with a JSON object."}`,
      "helper: I see",
    ],
  ],
  [
    "two calls of one id",
    [parts({ functionCall: { id: "c", name: "look_up" } }, { functionCall: { id: "c", name: "look_up" } }), "I see"],
    [
      "helper: look_up(undefined) | look_up(undefined)",
      'helper: look_up -> {"found":true} | look_up -> {"found":true}',
      "helper: I see",
    ],
  ],
  ["a response without a call", [parts({ functionResponse: { name: "look_up" } })], ["helper: look_up -> undefined"]],
  ["no parts", [parts()], ["helper: "]],
  ["an empty object", [{}], ["helper: "]],
  ["nothing at all", [[]], ["helper: ! MODEL_RETURNED_NO_CONTENT: The model odd ended its stream without an answer."]],
  [
    "chunks and no answer",
    [streamedText("a", "b").slice(0, 2)],
    ["helper: ! MODEL_RETURNED_NO_CONTENT: The model odd ended its stream without an answer."],
  ],
  ["an immediate error", [new Error("no")], ["helper: ! INTERNAL: Error: no"]],
  [
    "an error in mid-stream",
    [[...streamedText("a", "b").slice(0, 2), new Error("gone")]],
    ["helper: ! INTERNAL: Error: gone"],
  ],
  ["an error code", [{ errorCode: "SAFETY", errorMessage: "blocked" }], ["helper: ! SAFETY: blocked"]],
  ["undefined", [nonsense([undefined])], [`${INVALID} the answer is undefined, not an object`]],
  ["null", [nonsense([null])], [`${INVALID} the answer is null, not an object`]],
  ["a text in the place of a response", [nonsense(["hi"])], [`${INVALID} the answer is a string, not an object`]],
  ["a text in the place of content", [nonsense({ content: "hi" })], [`${INVALID} content is a string, not an object`]],
  [
    "a role that no model knows",
    [nonsense({ content: { role: "assistant", parts: [{ text: "hi" }] } })],
    [`${INVALID} content.role is "assistant", neither "model" nor "user"`],
  ],
  ["parts that are not a list", [nonsense({ content: { parts: "hi" } })], [`${INVALID} content.parts is not a list`]],
  ["a part that is null", [parts({ text: "a" }, null)], [`${INVALID} content.parts[1] is not an object`]],
  ["a text that is a number", [parts({ text: 5 })], [`${INVALID} content.parts[0].text is not a text`]],
  [
    "a call that is a text",
    [parts({ functionCall: "f" })],
    [`${INVALID} content.parts[0].functionCall is not an object`],
  ],
  ["an error code that is a number", [nonsense({ errorCode: 5 })], [`${INVALID} errorCode is not a text`]],
  ["usage in words", [nonsense({ usageMetadata: "many" })], [`${INVALID} usageMetadata is not an object`]],
  ["half of a character", ["half \ud83d"], ["helper: half \ud83d"]],
  ["a null character", ["a\u0000b"], ["helper: a\u0000b"]],
  [
    "a value that contains itself",
    [parts({ videoMetadata: circular() })],
    ["helper: ! MODEL_ANSWER_TOO_LARGE: The answer of the model odd has more than 200 levels."],
  ],
  [
    "a value that JSON has not",
    [parts({ videoMetadata: { n: 1n } })],
    [expect.stringMatching(/^helper: ! INTERNAL: TypeError: .*BigInt/)],
  ],
  ["almost four megabytes", ["x".repeat(3_900_000)], [`helper: ${"x".repeat(3_900_000)}`]],
  ["five megabytes", ["x".repeat(5_000_000)], [expect.stringMatching(/^helper: ! MODEL_ANSWER_TOO_LARGE: /)]],
];

describe("a model that answers", () => {
  it.each(CASES)("%s: the session shows it and takes the next message", async (_case, steps, stored) => {
    verifies("errors:message-conversion", "errors:field-missing");
    await using world = await startServerWorld({ agent: agentWith(steps) });
    await world.say("go", "/run_sse");
    await world.say("still there?");
    const session = await world.stored();
    expect(session).toEqual(["user: go", ...stored, "user: still there?", "helper: well"]);
  });

  it("ten thousand calls: a thousand run, each of the others gets an error", async () => {
    const calls = Array.from({ length: 10_000 }, () => ({ functionCall: { name: "look_up", args: {} } }));
    await using world = await startServerWorld({ agent: agentWith([parts(...calls), "I see"]) });
    expect((await world.say("go")).status).toBe(200);
    await world.say("still there?");
    const [, asked = "", answered = "", ...rest] = await world.stored();
    expect([asked.split(" | ").length, answered.split(" | ").length]).toEqual([10_000, 10_000]);
    expect([answered.split('{"found":true}').length - 1, answered.split('{"error":').length - 1]).toEqual([1000, 9000]);
    expect(rest).toEqual(["helper: I see", "user: still there?", "helper: well"]);
  });

  it("without an end: the run's limit in time ends it, and one in model calls a model that only calls tools", async () => {
    let isFirst = true;
    const endless: BaseLlm = {
      model: "endless",
      async *generateContentAsync(_request, { signal }) {
        for (; isFirst; await nextLoop(undefined, { signal })) yield { content: modelContent("and "), partial: true };
        yield { content: modelContent("well") };
      },
    };
    const agent = new LlmAgent({ name: "helper", model: endless });
    await using world = await startServerWorld({ agent, settings: { RUN_TIMEOUT_MS: "2000" } });
    const { text } = await world.say("go", "/run_sse");
    isFirst = false;
    await world.say("still there?");
    expect(text).toContain('"error_type":"RUN_TIMED_OUT"');
    expect(await world.stored()).toEqual([
      "user: go",
      "helper: ! RUN_TIMED_OUT: The run took longer than its limit.",
      "user: still there?",
      "helper: well",
    ]);

    const calls = Array.from({ length: 3 }, () => functionCallResponse("look_up"));
    await using limited = await startServerWorld({ agent: agentWith(calls), settings: { MAX_LLM_CALLS: "3" } });
    expect((await limited.say("go")).status).toBe(429);
    await limited.say("still there?");
    expect((await limited.stored()).slice(-3)).toEqual([
      expect.stringMatching(/^helper: ! LLM_CALL_LIMIT_EXCEEDED/),
      "user: still there?",
      "helper: well",
    ]);
  });

  it("to a file that it does not take, of which it reads a note", async () => {
    await using claude = await startWireServer(answerSse(fixture("claude/text.sse.txt")));
    const model = new Claude({ model: "claude-sonnet-4-5", apiKey: "none", baseUrl: claude.url });
    await using world = await startServerWorld({ agent: new LlmAgent({ name: "helper", model }) });
    const answer = await world.say([{ inlineData: { mimeType: "video/mp4", data: "AAAA" } }]);
    expect([answer.status, (await world.stored()).at(-1)]).toEqual([200, "helper: Paris is sunny."]);
    expect(claude.requests[0]?.body).toMatchObject({
      messages: [{ content: [{ type: "text", text: expect.stringContaining("of type video/mp4") }] }],
    });
  });
});
