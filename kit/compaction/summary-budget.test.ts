import { expect, it } from "vitest";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { modelContent } from "../events/content.ts";
import { ScriptedModel } from "../testing/scripted-model.ts";
import type { EventSummarizer } from "./event-summarizer.ts";

it("counts the tokens of a summary towards the budget of the run that made it", async () => {
  const summarizer: EventSummarizer = {
    summarizeEvents: async () => ({ content: modelContent("in short"), usageMetadata: { totalTokenCount: 70 } }),
  };
  const model = new ScriptedModel([{ content: modelContent("A"), usageMetadata: { promptTokenCount: 100 } }, "B", "C"]);
  const world = await createAgentWorld(new LlmAgent({ name: "helper", model }), {
    eventsCompaction: { tokenThreshold: 90, eventRetentionSize: 1, summarizer },
  });
  await world.run("x".repeat(800));
  await expect(world.run("b", { maxTotalTokens: 70 })).rejects.toMatchObject({
    reason: "TOKEN_BUDGET_EXCEEDED",
  });
  expect(model.callCount).toBe(1);
  expect((await world.run("c", { maxTotalTokens: 70 })).map(brief)).toEqual(["helper: B"]);
});
