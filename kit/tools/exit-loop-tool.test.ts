import { expect, it } from "vitest";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { functionCallResponse } from "#kit/testing/index.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { LoopAgent } from "../agents/loop-agent.ts";
import { AgentTool } from "./agent-tool.ts";
import { ExitLoopTool } from "./exit-loop-tool.ts";

it("ends the loop that its agent runs in, and calls no model again", async () => {
  verifies("tools:exit-loop", "agents:loop:exit-loop", "what-the-service-does:kit-exit-loop-tool");
  const critic = new ScriptedModel(["Again.", functionCallResponse("exit_loop", {})]);
  const writer = new ScriptedModel(["First.", "Second."], { repeatLast: true });
  const loop = new LoopAgent({
    name: "loop",
    subAgents: [
      new LlmAgent({ name: "writer", model: writer }),
      new LlmAgent({ name: "critic", model: critic, tools: [new ExitLoopTool()] }),
    ],
  });
  const world = await createAgentWorld(loop);
  const events = await world.run("Write.");
  expect(events.map(brief)).toEqual([
    "writer: First.",
    "critic: Again.",
    "writer: Second.",
    "critic: exit_loop({})",
    'critic: exit_loop -> {"result":null}',
  ]);
  expect(events.at(-1)?.actions).toMatchObject({ escalate: true, skipSummarization: true });
});

it("does not end a loop outside the agent that serves as a tool", async () => {
  const leaver = new LlmAgent({
    name: "leaver",
    model: new ScriptedModel([functionCallResponse("exit_loop", {})], { repeatLast: true }),
    tools: [new ExitLoopTool()],
  });
  const asks = new ScriptedModel([functionCallResponse("leaver", { request: "Go." }), "Asked."], { repeatLast: true });
  const asker = new LlmAgent({ name: "asker", model: asks, tools: [new AgentTool({ agent: leaver })] });
  const world = await createAgentWorld(new LoopAgent({ name: "loop", subAgents: [asker], maxIterations: 2 }));
  const events = await world.run("Write.");
  expect(events.map(brief).filter((line) => line === "asker: Asked.")).toHaveLength(2);
});
