import { describe, expect, it } from "vitest";
import type { BeforeModelCallback } from "#kit/core/callbacks.ts";
import { CallbackContext } from "#kit/core/context/callback-context.ts";
import type { Plugin } from "#kit/core/plugin.ts";
import { modelContent, userContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { createStep } from "#test/helpers/worlds/step.ts";
import { afterModel } from "./model-callbacks.ts";

const complete = { content: modelContent("said") };
const chunk = { ...complete, partial: true };

function answered(response: LlmResponse, answer: LlmResponse): Promise<LlmResponse> {
  const step = createStep({ agent: new LlmAgent({ name: "helper", afterModelCallback: () => answer }) });
  return afterModel(step, new CallbackContext(step.context), response);
}

describe("a response in the place of the model's", () => {
  it("stays a chunk in the place of a chunk, unless it says that it is none", async () => {
    const content = modelContent("other");
    expect(await answered(chunk, { content })).toEqual({ content, partial: true });
    expect(await answered(chunk, { content, partial: false })).toEqual({ content, partial: false });
    expect(await answered({ ...complete, partial: false }, { content })).toEqual({ content, partial: false });
  });

  it("is the callback's own object in the place of a complete response", async () => {
    const answer = { content: modelContent("other") };
    expect(await answered(complete, answer)).toBe(answer);
    expect(await answered(chunk, chunk)).toBe(chunk);
  });
});

it("a callback before the model changes the request that the model gets, after those of plugins", async () => {
  verifies("callbacks:before-model", "plugins:before-model");
  const model = new ScriptedModel(["hi"]);
  const own: BeforeModelCallback = (context, request) => {
    request.appendInstructions(`FROM ${context.agentName}`);
  };
  const plugin: Plugin = {
    name: "adds",
    beforeModelCallback: (_context, request) => {
      request.contents = [...request.contents, userContent("more")];
      request.appendInstructions("FROM plugin");
    },
  };
  const agent = new LlmAgent({ name: "helper", model, beforeModelCallback: own });
  await (await createAgentWorld(agent, { plugins: [plugin] })).run("hello");
  expect(model.requests[0]?.contents).toEqual([userContent("hello"), userContent("more")]);
  expect(model.requests[0]?.systemInstruction).toMatch(/FROM plugin\s+FROM helper$/);
});
