import { expect, it } from "vitest";
import type { HistoryCompactor } from "#kit/core/context/invocation-context.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { createStep } from "#test/helpers/worlds/step.ts";
import { compaction } from "./contents.ts";

it("summarizes the history before a call of the model, unless the agent reads none of it", async () => {
  const summarized: string[] = [];
  const compactor: HistoryCompactor = {
    beforeModelCall: async ({ name }) => void summarized.push(name),
    isDueAfterRun: () => false,
    afterRun: async () => {},
  };
  const reads = new LlmAgent({ name: "reads" });
  const doesNot = new LlmAgent({ name: "does_not", includeContents: "NONE" });
  for (const agent of [reads, doesNot]) await compaction(createStep({ agent, compactor }));
  await compaction(createStep({ agent: reads }));
  expect(summarized).toEqual(["reads"]);
});
