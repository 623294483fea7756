import { describe, expect, it } from "vitest";
import { ToolResult } from "#kit/core/context/tool-result.ts";
import type { Content, Part } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { ModelError } from "#kit/models/error-mapper.ts";
import { ScriptedModel, type ScriptedStep } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";

import { verifies } from "#test/helpers/verifies.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";

const image: Part = { inlineData: { mimeType: "image/png", data: "aGk=" } };
const CONTENT = new ModelError("CLIENT_ERROR", "refused (400)", { status: 400, refused: "content" });
const GONE = new ModelError("CLIENT_ERROR", "refused (403)", { status: 403, refused: "files" });
const REQUEST = new ModelError("CLIENT_ERROR", "refused (400)", { status: 400, refused: "request" });

/** What the model gets in each of its calls, when the user says the messages one after another. */
async function promptsOf(
  messages: readonly (string | Part[])[],
  steps: readonly ScriptedStep[],
): Promise<readonly Content[][]> {
  const model = new ScriptedModel(steps);
  const shot = new FunctionTool({
    name: "shot",
    description: "Takes a picture.",
    execute: () => new ToolResult({ response: { ok: true }, media: [image] }),
  });
  const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools: [shot] }));
  for (const message of messages) {
    const newMessage = { role: "user", parts: typeof message === "string" ? [{ text: message }] : message };
    const run = world.runner.runAsync({ userId: "ada", sessionId: "talk", newMessage });
    await Array.fromAsync(run).catch(() => undefined);
  }
  return model.requests.map(({ contents }) => [...contents]);
}

const text = (role: string, ...texts: readonly unknown[]): unknown => ({
  role,
  parts: texts.map((one) => ({ text: one })),
});
const FILE = expect.stringMatching(/^\[A file stood here that the model refused: image\/png\.\]$/);
const MESSAGE = expect.stringMatching(/^\[A message stood here that the model refused/);

describe("what a model has refused", () => {
  it("stands in later prompts as a note: a file, with the words beside it", async () => {
    verifies("providers:refused:next-message");
    const prompts = await promptsOf([[{ text: "see" }, image], "never mind"], [CONTENT, "hello"]);
    expect(prompts[1]).toEqual([text("user", "see", FILE), text("user", "never mind")]);
  });

  it("stands in later prompts as a note: a text, if there was no file", async () => {
    const prompts = await promptsOf(["hi", "x".repeat(50), "hello?"], ["hi", CONTENT, "hello"]);
    expect(prompts[2]).toEqual([
      text("user", "hi"),
      text("model", "hi"),
      text("user", MESSAGE),
      text("user", "hello?"),
    ]);
  });

  it("stands in later prompts as a note: the picture that a tool gave", async () => {
    const call = { content: { role: "model", parts: [{ functionCall: { id: "c1", name: "shot", args: {} } }] } };
    const prompts = await promptsOf(["look", "and now?"], [call, CONTENT, "hello"]);
    expect(prompts[2]?.[2]?.parts?.[0]?.functionResponse).toEqual({
      id: "c1",
      name: "shot",
      response: { ok: true, note: "A file stood here that the model refused." },
    });
  });

  it("is the files alone if the provider has one no more", async () => {
    verifies("providers:refused:next-message");
    const prompts = await promptsOf([[{ text: "see" }, image], "and now?", "hello?"], ["a dog", GONE, "hello"]);
    expect(prompts[2]).toEqual([
      text("user", "see", FILE),
      text("model", "a dog"),
      text("user", "and now?"),
      text("user", "hello?"),
    ]);
  });

  it("stays as it is if the settings were refused and not the words", async () => {
    const prompts = await promptsOf(["hi", "hello?"], [REQUEST, "hello"]);
    expect(prompts[1]).toEqual([text("user", "hi"), text("user", "hello?")]);
  });

  it("includes older files, which a model refuses that is new in the conversation", async () => {
    const prompts = await promptsOf([[{ text: "see" }, image], "and?", "hello?"], ["nice", CONTENT, "hello"]);
    expect(prompts[2]).toEqual([
      text("user", "see", FILE),
      text("model", "nice"),
      text("user", MESSAGE),
      text("user", "hello?"),
    ]);
  });

  it("includes the words beside a file if the next request is refused too", async () => {
    const prompts = await promptsOf([[{ text: "bad" }, image], "so?", "hello?"], [CONTENT, CONTENT, "hello"]);
    expect(prompts[2]).toEqual([text("user", MESSAGE, MESSAGE), text("user", MESSAGE), text("user", "hello?")]);
  });
});
