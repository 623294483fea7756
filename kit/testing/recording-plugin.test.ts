import { describe, expect, it } from "vitest";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { modelContent, userContent } from "../events/content.ts";
import { DemoModel } from "../models/demo/demo-model.ts";
import { FunctionTool } from "../tools/function-tool.ts";
import { RecordingPlugin } from "./recording-plugin.ts";
import { ScriptedModel } from "./scripted-model.ts";

const getWeather = new FunctionTool({
  name: "get_weather",
  description: "The weather of a city.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  execute: () => ({ report: "Sunny." }),
});

describe("RecordingPlugin", () => {
  it("records the hooks of a run in their order, here of a demo agent that calls its tool", async () => {
    const plugin = new RecordingPlugin();
    const agent = new LlmAgent({ name: "meteo", model: new DemoModel({ model: "demo/weather" }), tools: [getWeather] });
    const world = await createAgentWorld(agent, { plugins: [plugin] });

    const events = await world.run("Weather in Paris?");

    expect(events.at(-1)?.content).toEqual(modelContent("(demo model) The weather station says: Sunny."));
    expect(plugin.hooks).toEqual([
      "onUserMessageCallback",
      "beforeRunCallback",
      "beforeAgentCallback",
      "beforeModelCallback",
      "afterModelCallback",
      "onEventCallback",
      "beforeToolCallback",
      "afterToolCallback",
      "onEventCallback",
      "beforeModelCallback",
      "afterModelCallback",
      "onEventCallback",
      "afterAgentCallback",
      "afterRunCallback",
    ]);
    expect(plugin.calls.filter(({ tool }) => tool !== undefined)).toEqual([
      { hook: "beforeToolCallback", agent: "meteo", tool: "get_weather", args: { city: "Paris" } },
      {
        hook: "afterToolCallback",
        agent: "meteo",
        tool: "get_weather",
        args: { city: "Paris" },
        result: { report: "Sunny." },
      },
    ]);
  });

  it("answers what it was configured to", async () => {
    const plugin = new RecordingPlugin("guard", { beforeModelCallback: () => ({ content: modelContent("no") }) });
    const model = new ScriptedModel([]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model }), { plugins: [plugin] });
    const events = await world.run(userContent("hi"));
    expect([events.map(({ content }) => content), model.callCount]).toEqual([[modelContent("no")], 0]);
  });
});
