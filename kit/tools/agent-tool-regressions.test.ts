import { describe, expect, it } from "vitest";
import { BaseAgent } from "#kit/core/base-agent.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { modelContent } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { functionCallResponse } from "#kit/testing/index.ts";
import { RecordingPlugin } from "#kit/testing/recording-plugin.ts";
import { ScriptedModel, type ScriptedStep } from "#kit/testing/scripted-model.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { AgentTool } from "./agent-tool.ts";
import { FunctionTool } from "./function-tool.ts";

const SESSION = { appName: "app", userId: "ada", id: "talk" };

function agent(
  name: string,
  steps: readonly ScriptedStep[],
  options: Partial<ConstructorParameters<typeof LlmAgent>[0]> = {},
) {
  return new LlmAgent({ name, model: new ScriptedModel(steps, { repeatLast: true }), ...options });
}

const draw = new FunctionTool({
  name: "draw",
  description: "",
  execute: async (_args, context) => {
    context.state.set("drawn", true);
    await context.saveArtifact("moon.svg", { text: "<svg/>" });
    return { status: "drawn" };
  },
});

function studio(): LlmAgent {
  const painter = agent("painter", [functionCallResponse("draw", {}), "Here is the moon."], { tools: [draw] });
  const tools = [new AgentTool({ agent: painter })];
  return agent("boss", [functionCallResponse("painter", { request: "Moon." }), "There it is."], { tools });
}

describe("agents that serve as tools", () => {
  it("streams the events of the called agent before its answer", async () => {
    const world = await createAgentWorld(studio());
    const events = await world.run("Draw the moon.");
    expect(events.map(brief).slice(1, 4)).toEqual([
      "painter: draw({})",
      'painter: draw -> {"status":"drawn"}',
      "painter: Here is the moon.",
    ]);
  });

  it("calls the plugins for the called agent", async () => {
    const plugin = new RecordingPlugin();
    const world = await createAgentWorld(studio(), { plugins: [plugin] });
    await world.run("Draw the moon.");
    const hooks = new Set(plugin.calls.filter(({ agent: at }) => at === "painter").map(({ hook }) => hook));
    expect([...hooks]).toEqual(
      expect.arrayContaining(["beforeAgentCallback", "beforeModelCallback", "onEventCallback", "afterAgentCallback"]),
    );
  });

  it("stores the state and artifacts of the called agent in the session", async () => {
    const world = await createAgentWorld(studio());
    await world.run("Draw the moon.");
    expect((await world.session()).state).toEqual({ drawn: true });
    expect((await world.artifacts.listArtifactKeys(SESSION)).filenames).toEqual(["moon.svg"]);
  });
});

describe("sub-agents", () => {
  it("return control when they are called as a tool, and the caller answers last", async () => {
    const world = await createAgentWorld(studio());
    const [first, second] = [await world.run("Draw the moon."), await world.run("Thanks.")];
    expect(first.map(brief).at(-1)).toBe("boss: There it is.");
    expect(second.map(({ author }) => author)).toEqual(["boss"]);
  });

  it("can transfer back to the agent that transferred to them", async () => {
    const billing = agent("billing", [
      "Your invoice.",
      functionCallResponse("transfer_to_agent", { agent_name: "desk" }),
    ]);
    const desk = agent("desk", [functionCallResponse("transfer_to_agent", { agent_name: "billing" }), "Desk again."], {
      subAgents: [billing],
    });
    const world = await createAgentWorld(desk);
    expect((await world.run("My invoice?")).map(brief).at(-1)).toBe("billing: Your invoice.");
    expect((await world.run("Something else.")).map(brief).at(-1)).toBe("desk: Desk again.");
  });

  it("have the root of the tree that they are added to later", () => {
    const leaf = agent("leaf", ["."]);
    expect(leaf.rootAgent).toBe(leaf);
    const middle = agent("middle", ["."], { subAgents: [leaf] });
    const root = agent("root", ["."], { subAgents: [middle] });
    expect([leaf.rootAgent, middle.rootAgent]).toEqual([root, root]);
  });

  it("can be a subclass of BaseAgent, by transfer and as a tool", async () => {
    class Clock extends BaseAgent {
      protected override async *runAsyncImpl(context: InvocationContext): AsyncGenerator<Event> {
        yield context.createEvent({ content: modelContent("It is noon.") });
      }
    }
    const handsOver = agent("desk", [functionCallResponse("transfer_to_agent", { agent_name: "clock" })], {
      subAgents: [new Clock({ name: "clock" })],
    });
    const calls = agent("desk", [functionCallResponse("clock", { request: "Time?" }), "Noon."], {
      tools: [new AgentTool({ agent: new Clock({ name: "clock" }) })],
    });
    expect((await (await createAgentWorld(handsOver)).run("Time?")).map(brief).at(-1)).toBe("clock: It is noon.");
    expect((await (await createAgentWorld(calls)).run("Time?")).map(brief).slice(-2)).toEqual([
      'desk: clock -> {"result":"It is noon."}',
      "desk: Noon.",
    ]);
  });
});
