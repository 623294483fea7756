import { describe, expect, it } from "vitest";
import { LoopAgent } from "#kit/agents/loop-agent.ts";
import { ParallelAgent } from "#kit/agents/parallel-agent.ts";
import { SequentialAgent } from "#kit/agents/sequential-agent.ts";
import { createApp } from "#kit/core/app.ts";
import type { BaseAgent } from "#kit/core/base-agent.ts";
import { BaseTool } from "#kit/core/base-tool.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { GoalOrientedPlanner } from "#kit/planners/goal-oriented/goal-oriented-planner.ts";
import { LoopPlanner } from "#kit/planners/loop-planner.ts";
import { P2PPlanner } from "#kit/planners/p2p-planner.ts";
import { ParallelPlanner } from "#kit/planners/parallel-planner.ts";
import type { Planner } from "#kit/planners/planner.ts";
import { PlannerAgent } from "#kit/planners/planner-agent.ts";
import { SequentialPlanner } from "#kit/planners/sequential-planner.ts";
import { SupervisorPlanner } from "#kit/planners/supervisor/supervisor-planner.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
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

class SilentTool extends BaseTool {
  override getDeclaration(): undefined {
    return undefined;
  }

  override async runAsync(): Promise<unknown> {
    return undefined;
  }
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
  it("shows an app with its plugins and its own settings, where it has any", () => {
    const rootAgent = new LlmAgent({ name: "root" });
    const loaded = { name: "desk", language: "typescript", version: 1 } as const;
    const root = { name: "root", description: "", type: "llm", tools: [], subAgents: [] };
    const info = { name: "desk", language: "typescript", description: "", rootAgent: root };
    expect(describeApp({ ...loaded, app: createApp({ name: "desk", rootAgent }) })).toEqual({
      ...info,
      plugins: [],
    });
    const app = createApp({ name: "desk", rootAgent, plugins: [{ name: "log" }], onDisconnect: "cancel" });
    expect(describeApp({ ...loaded, app, readme: "Read me." })).toEqual({
      ...info,
      plugins: ["log"],
      onDisconnect: "cancel",
      readme: "Read me.",
    });
  });

  it("describes of an LLM agent what is known before it runs", () => {
    const parameters = { type: "object", properties: { at: { type: "string" } } };
    const look = new FunctionTool({ name: "look", description: "Looks.", parameters, execute: () => ({}) });
    const silent = new SilentTool({ name: "silent", description: "Declares nothing." });
    const toolset = { getTools: async () => [], close: async () => {} };
    const agent = new LlmAgent({
      name: "root",
      instruction: () => "made anew",
      outputKey: "answer",
      model: new ScriptedModel([]),
      tools: [look, silent, toolset],
    });
    expect(describeTree(agent)).toEqual({
      name: "root",
      description: "",
      type: "llm",
      model: "scripted",
      outputKey: "answer",
      tools: [
        { name: "look", description: "Looks.", type: "tool", parameters },
        { name: "silent", description: "Declares nothing.", type: "tool" },
      ],
      subAgents: [],
    });
  });

  it.each([
    ["sequential", () => new SequentialAgent({ name: "root", subAgents: [helper()] })],
    ["parallel", () => new ParallelAgent({ name: "root", subAgents: [helper()] })],
    ["loop", () => new LoopAgent({ name: "root", subAgents: [helper()] })],
  ] as const)("shows the whole tree with its tools below a %s agent", (type, create) => {
    verifies("wire:app-info");
    expect(describeTree(create())).toEqual({ name: "root", description: "", type, tools: [], subAgents: [HELPER] });
  });

  it("shows how the planner of a planner agent orders its agents", () => {
    const create = (planner: Planner) => new PlannerAgent({ name: "root", planner, subAgents: [helper(), second()] });
    const second = (): LlmAgent => new LlmAgent({ name: "second", instruction: "{help}", outputKey: "more" });
    const metadata = [
      { agentName: "second", inputKeys: ["help", "help", "more", "topic"], outputKey: "more" },
      { agentName: "helper", inputKeys: [], outputKey: "help" },
    ];
    const byKeys = [{ from: "helper", to: "second", key: "help" }];
    const inOrder = [{ from: "helper", to: "second" }];
    const round = [...inOrder, { from: "second", to: "helper" }];
    const custom: Planner = { firstAction: () => ({ kind: "Done" }), nextAction: () => ({ kind: "Done" }) };
    expect(
      [
        new SequentialPlanner(),
        new ParallelPlanner(),
        new LoopPlanner({ maxCycles: 2 }),
        new SupervisorPlanner({ model: "demo/chat" }),
        new P2PPlanner({ metadata, maxInvocations: 4 }),
        custom,
      ].map((planner) => describeTree(create(planner)).planner),
    ).toEqual([
      { name: "SequentialPlanner", links: inOrder },
      { name: "ParallelPlanner", links: [] },
      { name: "LoopPlanner", links: round },
      { name: "SupervisorPlanner", links: [] },
      { name: "P2PPlanner", links: byKeys },
      { name: "Planner", links: [] },
    ]);
    const open = metadata.map((entry) => ({ ...entry, inputKeys: entry.inputKeys.filter((key) => key !== "more") }));
    const goal = create(new GoalOrientedPlanner({ metadata: open, goal: "more" }));
    expect(describeTree(goal)).toMatchObject({
      type: "planner",
      planner: { name: "GoalOrientedPlanner", links: byKeys },
    });
    const alone = new PlannerAgent({ name: "root", planner: new LoopPlanner({ maxCycles: 2 }), subAgents: [helper()] });
    expect(alone.describePlanner().links).toEqual([]);
  });

  it("shows an LLM agent with what belongs to its model", () => {
    verifies("wire:app-info");
    expect(describeTree(helper())).toEqual(HELPER);
  });
});
