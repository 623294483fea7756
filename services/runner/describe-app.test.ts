import { describe, expect, it } from "vitest";
import { LoopAgent } from "#kit/agents/loop-agent.ts";
import { ParallelAgent } from "#kit/agents/parallel-agent.ts";
import { SequentialAgent } from "#kit/agents/sequential-agent.ts";
import { createApp } from "#kit/core/app.ts";
import type { BaseAgent } from "#kit/core/base-agent.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { describeApp } from "./describe-app.ts";

const add = new FunctionTool({ name: "add", description: "Adds.", execute: () => ({}) });

function helper(): LlmAgent {
  return new LlmAgent({
    name: "helper",
    description: "Helps.",
    instruction: "Help.",
    model: "demo/chat",
    tools: [add],
  });
}

function describeTree(rootAgent: BaseAgent) {
  return describeApp({ name: "desk", app: createApp({ name: "desk", rootAgent }), language: "typescript", version: 1 })
    .rootAgent;
}

const HELPER = {
  name: "helper",
  description: "Helps.",
  type: "llm",
  model: "demo/chat",
  instruction: "Help.",
  tools: [{ name: "add", description: "Adds.", type: "tool" }],
  subAgents: [],
};

describe("describeApp", () => {
  it.each([
    ["sequential", () => new SequentialAgent({ name: "root", subAgents: [helper()] })],
    ["parallel", () => new ParallelAgent({ name: "root", subAgents: [helper()] })],
    ["loop", () => new LoopAgent({ name: "root", subAgents: [helper()] })],
  ] as const)("shows the whole tree with its tools below a %s agent", (type, create) => {
    verifies("wire:app-info");
    expect(describeTree(create())).toEqual({ name: "root", description: "", type, tools: [], subAgents: [HELPER] });
  });

  it("shows an LLM agent with what belongs to its model", () => {
    verifies("wire:app-info");
    expect(describeTree(helper())).toEqual(HELPER);
  });
});
