import { expect, it } from "vitest";
import type { EventSummarizer } from "#kit/compaction/event-summarizer.ts";
import { createApp } from "#kit/core/app.ts";
import { modelContent, userContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { Runner } from "#kit/runs/runner.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";

const summarizer: EventSummarizer = { summarizeEvents: async () => ({ content: modelContent("in short") }) };

it("summaries count against the budget of their run, as its model calls do", async () => {
  const reserved: (string | undefined)[] = [];
  const settled: unknown[] = [];
  const runner = new Runner({
    app: createApp({
      name: "app",
      rootAgent: new LlmAgent({ name: "helper", model: new ScriptedModel(["well"]) }),
      eventsCompaction: { compactionInterval: 1, overlapSize: 0, summarizer },
    }),
    modelBudget: {
      ofRun: ({ session }) => ({
        reserve: async () => {
          reserved.push(session.userId);
          return { settle: (usage) => void settled.push(usage) };
        },
      }),
    },
  });
  await Array.fromAsync(runner.runEphemeral({ userId: "ada", newMessage: userContent("hello") }));
  expect([reserved, settled.length]).toEqual([["ada", "ada"], 2]);
});
