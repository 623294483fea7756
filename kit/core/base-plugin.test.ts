import { describe, expect, it } from "vitest";
import { modelContent, textOf } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { functionCallResponse, ScriptedModel } from "../testing/scripted-model.ts";
import { createApp } from "./app.ts";
import { BasePlugin, toPlugin } from "./base-plugin.ts";
import { PluginManager } from "./plugin-manager.ts";

type Arguments<Hook extends keyof BasePlugin> = BasePlugin[Hook] extends (given: infer Given) => unknown
  ? Given
  : never;

/** Overrides all hooks and records what they get. */
class Watch extends BasePlugin {
  readonly seen: [string, readonly string[]][] = [];

  #note(hook: string, given: object): undefined {
    this.seen.push([hook, Object.keys(given).sort()]);
  }

  override async onUserMessageCallback(given: Arguments<"onUserMessageCallback">) {
    return this.#note("onUserMessage", given);
  }
  override async beforeRunCallback(given: Arguments<"beforeRunCallback">) {
    return this.#note("beforeRun", given);
  }
  override async onEventCallback(given: Arguments<"onEventCallback">) {
    return this.#note("onEvent", given);
  }
  override async afterRunCallback(given: Arguments<"afterRunCallback">) {
    this.#note("afterRun", given);
  }
  override async beforeAgentCallback(given: Arguments<"beforeAgentCallback">) {
    return this.#note(`beforeAgent ${given.agent.name} ${given.callbackContext.agentName}`, given);
  }
  override async afterAgentCallback(given: Arguments<"afterAgentCallback">) {
    return this.#note("afterAgent", given);
  }
  override async beforeModelCallback(given: Arguments<"beforeModelCallback">) {
    return this.#note(`beforeModel ${given.llmRequest.contents.length}`, given);
  }
  override async afterModelCallback(given: Arguments<"afterModelCallback">) {
    return this.#note("afterModel", given);
  }
  override async onModelErrorCallback({ error, ...given }: Arguments<"onModelErrorCallback">) {
    this.#note(`onModelError ${error.message}`, given);
    return { content: modelContent("recovered") };
  }
  override async beforeToolCallback(given: Arguments<"beforeToolCallback">) {
    given.toolArgs["x"] = 2;
    return this.#note("beforeTool", given);
  }
  override async afterToolCallback(given: Arguments<"afterToolCallback">) {
    this.#note(`afterTool ${JSON.stringify([given.toolArgs, given.result])}`, given);
    return { replaced: true };
  }
  override async onToolErrorCallback({ error, ...given }: Arguments<"onToolErrorCallback">) {
    this.#note(`onToolError ${error.message}`, given);
    return { fixed: true };
  }
}

const work = new FunctionTool({
  name: "work",
  description: "Works.",
  parameters: { type: "object" },
  execute: ({ fail, ...args }) => {
    if (fail === true) throw new Error("broken");
    return args;
  },
});

describe("BasePlugin", () => {
  it("gets one object in each hook, and its answers count", async () => {
    const watch = new Watch("watch");
    const model = new ScriptedModel([
      functionCallResponse("work", { x: 1 }),
      functionCallResponse("work", { fail: true }),
      new Error("no model"),
    ]);
    const world = await createAgentWorld(new LlmAgent({ name: "desk", model, tools: [work] }), { plugins: [watch] });
    const events = await world.run("go");
    const ofTool = ["tool", "toolArgs", "toolContext"];
    const ofModel = ["callbackContext", "llmRequest"];
    const event = ["onEvent", ["event", "invocationContext"]];
    expect(watch.seen).toEqual([
      ["onUserMessage", ["invocationContext", "userMessage"]],
      ["beforeRun", ["invocationContext"]],
      ["beforeAgent desk desk", ["agent", "callbackContext"]],
      ["beforeModel 1", ofModel],
      ["afterModel", ["callbackContext", "llmResponse"]],
      event,
      ["beforeTool", ofTool],
      ['afterTool [{"x":2},{"x":2}]', ["result", ...ofTool]],
      event,
      ["beforeModel 3", ofModel],
      ["afterModel", ["callbackContext", "llmResponse"]],
      event,
      ["beforeTool", ofTool],
      ["onToolError broken", ofTool],
      ['afterTool [{"fail":true,"x":2},{"fixed":true}]', ["result", ...ofTool]],
      event,
      ["beforeModel 5", ofModel],
      ["onModelError no model", ofModel],
      ["afterModel", ["callbackContext", "llmResponse"]],
      event,
      ["afterAgent", ["agent", "callbackContext"]],
      ["afterRun", ["invocationContext"]],
    ]);
    const responses = events
      .flatMap(({ content }) => content?.parts ?? [])
      .map((part) => part.functionResponse?.response);
    expect(responses.filter(Boolean)).toEqual([{ replaced: true }, { replaced: true }]);
    expect(textOf(events.at(-1)?.content)).toBe("recovered");
  });

  it("costs nothing in hooks that it does not override", async () => {
    class Quiet extends BasePlugin {
      override async beforeRunCallback() {
        return undefined;
      }
    }
    expect(Object.keys(toPlugin(new Quiet("quiet")))).toEqual(["name", "beforeRunCallback"]);
    const quiet = new Quiet("quiet");
    const base = [
      quiet.onUserMessageCallback,
      quiet.onEventCallback,
      quiet.afterRunCallback,
      quiet.beforeAgentCallback,
      quiet.afterAgentCallback,
      quiet.beforeModelCallback,
      quiet.afterModelCallback,
      quiet.onModelErrorCallback,
      quiet.beforeToolCallback,
      quiet.afterToolCallback,
      quiet.onToolErrorCallback,
    ];
    // Subclasses may call the inherited hooks.
    expect(await Promise.all(base.map((hook) => Reflect.apply(hook, quiet, [{}])))).toEqual(base.map(() => undefined));
  });

  it("is a plugin of apps and of plugin managers", () => {
    const watch = new Watch("watch");
    const app = createApp({ name: "shop", rootAgent: new LlmAgent({ name: "desk" }), plugins: [watch] });
    expect(app.plugins.map(({ name }) => name)).toEqual(["watch"]);
    expect(new PluginManager([watch]).getPlugin("watch")?.name).toBe("watch");
    const plain = { name: "plain" };
    expect(toPlugin(plain)).toBe(plain);
  });

  it("is refused with a hook of ADK that runs never call", () => {
    class Selects extends BasePlugin {
      async beforeToolSelection() {
        return undefined;
      }
    }
    expect(() => toPlugin(new Selects("selects"))).toThrow(
      'Plugin "selects" has beforeToolSelection, a hook that is not supported yet: remove it.',
    );
  });
});
