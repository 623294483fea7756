import { describe, expect, it } from "vitest";
import { SequentialAgent } from "#kit/agents/sequential-agent.ts";
import { userContent } from "#kit/events/content.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { LlmAgent } from "./llm-agent.ts";

describe("a model", () => {
  it("is asked when the store has the final response of the agent before", async () => {
    const stored: string[][] = [];
    const second = new ScriptedModel([
      async () => {
        stored.push((await world.session()).events.map(brief));
        return "done";
      },
    ]);
    const pair = new SequentialAgent({
      name: "pair",
      subAgents: [
        new LlmAgent({ name: "first", model: new ScriptedModel(["ready"]) }),
        new LlmAgent({ name: "second", model: second }),
      ],
    });
    const world = await createAgentWorld(pair);
    await world.run("go");
    expect(stored).toEqual([["user: go", "first: ready"]]);
  });

  it("is not asked after the run was cancelled", async () => {
    const cancel = new AbortController();
    const second = new ScriptedModel(["never"]);
    const pair = new SequentialAgent({
      name: "pair",
      subAgents: [
        new LlmAgent({
          name: "first",
          model: new ScriptedModel(["ready"]),
          afterAgentCallback: () => cancel.abort(),
        }),
        new LlmAgent({ name: "second", model: second }),
      ],
    });
    const world = await createAgentWorld(pair);
    const newMessage = userContent("go");
    const run = world.runner.runAsync({ userId: "ada", sessionId: "talk", newMessage, signal: cancel.signal });
    await expect(Array.fromAsync(run)).rejects.toMatchObject({ details: { reason: "RUN_CANCELLED" } });
    expect(second.callCount).toBe(0);
  });

  it.each([1, 2])("is asked %d times at most in one turn where maxSteps says so", async (maxSteps) => {
    let runs = 0;
    const work = new FunctionTool({ name: "work", description: "Works.", execute: () => (runs += 1) });
    const model = new ScriptedModel([functionCallResponse("work")], { repeatLast: true });
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools: [work], maxSteps }));
    const events = await world.run("go");
    expect([model.callCount, runs, events.length]).toEqual([maxSteps, maxSteps, 2 * maxSteps]);
    await world.run("again");
    expect(model.callCount).toBe(2 * maxSteps);
  });
});
