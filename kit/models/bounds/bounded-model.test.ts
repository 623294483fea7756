import { describe, expect, it } from "vitest";
import { modelContent, type Part } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { LlmRequest } from "#kit/models/llm-request.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import type { JsonValue } from "#kit/platform/json.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { boundedModel } from "./bounded-model.ts";

const signal = new AbortController().signal;
const LIMITS = { maxAnswerCharacters: 1000, maxAnswerParts: 10 };
const call = (args: Record<string, JsonValue> = {}): Part => ({ functionCall: { name: "look", args } });
const answerOf = (...parts: readonly Part[]): LlmResponse => ({ content: { role: "model", parts } });
const nested = (depth: number): JsonValue => (depth === 0 ? 1 : [nested(depth - 1)]);
const CHUNK: LlmResponse = { partial: true, content: modelContent("x".repeat(100)) };

/** What the model gives before it fails, and the reason. */
async function read(...responses: readonly LlmResponse[]): Promise<readonly [number, string]> {
  const model = boundedModel(new ScriptedModel([responses]), LIMITS);
  let count = 0;
  try {
    for await (const _ of model.generateContentAsync(new LlmRequest({ model: "m", contents: [] }), {
      stream: true,
      signal,
    }))
      count += 1;
    return [count, ""];
  } catch (error) {
    return [count, String(error)];
  }
}

describe("an answer beyond the limits", () => {
  it.each<[string, readonly LlmResponse[], number, string]>([
    ["text", [answerOf({ text: "x".repeat(1001) })], 0, "1000 characters (maxAnswerCharacters)"],
    ["thoughts", [answerOf({ text: "x".repeat(1001), thought: true })], 0, "1000 characters"],
    ["chunks of text", Array.from({ length: 11 }, () => CHUNK), 9, "1000 characters"],
    ["calls", [answerOf(...Array.from({ length: 11 }, () => call()))], 0, "10 parts (maxAnswerParts)"],
    ["calls in a chunk", [{ ...answerOf(...Array(11).fill(call())), partial: true }], 0, "10 parts"],
    ["calls in chunks", Array.from({ length: 11 }, () => ({ ...answerOf(call()), partial: true })), 10, "10 parts"],
    ["arguments", [answerOf(call({ list: Array(1001).fill(0) }))], 0, "1000 characters"],
    ["levels", [answerOf(call({ deep: nested(250) }))], 0, "200 levels"],
    ["code", [answerOf({ executableCode: { code: "x".repeat(1001) } })], 0, "1000 characters"],
    ["metadata", [{ ...answerOf({ text: "hi" }), groundingMetadata: { a: "x".repeat(1001) } }], 0, "1000 characters"],
  ])("of %s ends the call", async (_, responses, before, limit) => {
    verifies("peers:models:answer-size");
    const [count, error] = await read(...responses);
    expect([count, error]).toEqual([before, expect.stringContaining(`has more than ${limit}`)]);
  });

  it("is counted for each answer, and files apart from text", async () => {
    const image: Part = { inlineData: { mimeType: "image/png", data: "A".repeat(10_000) } };
    const half = answerOf({ text: "x".repeat(600) }, image);
    expect(await read(CHUNK, CHUNK, half, CHUNK, half)).toEqual([5, ""]);
  });

  it("fails the run of any model, and nothing of it is stored", async () => {
    verifies("peers:models:answer-size");
    const parts = Array.from({ length: 1_000_000 }, () => call());
    const world = await createAgentWorld(
      new LlmAgent({ name: "helper", model: new ScriptedModel([{ content: { role: "model", parts } }]) }),
    );
    const before = process.threadCpuUsage();
    await expect(world.run("go")).rejects.toThrow("has more than 10000 parts (maxAnswerParts)");
    const { user, system } = process.threadCpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(2);
    const events = (await world.session()).events;
    expect(events.map(({ author, errorCode }) => [author, errorCode])).toEqual([
      ["user", undefined],
      ["helper", "MODEL_ANSWER_TOO_LARGE"],
    ]);
  });
});

describe("token counts", () => {
  it("that cannot be true are left out, before budgets and quotas count them", async () => {
    verifies("peers:models:token-counts");
    const usageMetadata = {
      promptTokenCount: -5,
      candidatesTokenCount: 1e300,
      totalTokenCount: 7,
      thoughtsTokenCount: 0.5,
    };
    const model = new ScriptedModel([
      [
        { ...answerOf({ text: "hi" }), usageMetadata },
        { ...answerOf({ text: "ho" }), usageMetadata: { promptTokenCount: Number.NaN } },
      ],
    ]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model }));
    const events = await world.run("go");
    expect(events.map((event) => event.usageMetadata)).toEqual([{ totalTokenCount: 7 }, undefined]);
  });
});

describe("a run beyond its limits", () => {
  it.each([
    [{ maxRunEvents: 4 }, "more than 4 events (maxRunEvents)"],
    [{ maxRunCharacters: 2000 }, "more than 2000 characters of events (maxRunCharacters)"],
  ])("of %j fails, and stores nothing beyond", async (runConfig, problem) => {
    verifies("peers:models:run-size");
    const model = new ScriptedModel(Array.from({ length: 20 }, () => functionCallResponse("look", {})));
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model }));
    await expect(world.run("go", runConfig)).rejects.toThrow(problem);
    const { events } = await world.session();
    expect(events.length).toBeLessThan(10);
    expect(events.at(-1)).toMatchObject({ errorCode: "RUN_TOO_LARGE" });
  });
});
