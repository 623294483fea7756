import { describe, expect, it, onTestFinished, vi } from "vitest";
import { modelContent } from "#kit/events/content.ts";
import type { LlmAgentOptions } from "#kit/llm-agent/base/base-llm-agent.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { RecordingPlugin } from "#kit/testing/recording-plugin.ts";
import { functionCallResponse, ScriptedModel, type ScriptedStep } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import type { Plugin } from "./plugin.ts";
import { PluginManager } from "./plugin-manager.ts";

const echo = new FunctionTool({ name: "echo", description: "Says it again.", execute: (args) => args });
const boom = new FunctionTool({
  name: "boom",
  description: "Fails.",
  execute: () => {
    throw new Error("broken");
  },
});

function helper(
  steps: ConstructorParameters<typeof ScriptedModel>[0],
  options: Partial<LlmAgentOptions> = {},
): LlmAgent {
  return new LlmAgent({ name: "helper", model: new ScriptedModel(steps), tools: [echo, boom], ...options });
}

describe("agent callbacks", () => {
  it("let a content before the agent take its place", async () => {
    verifies(
      "what-the-service-does:kit-callbacks",
      "callbacks:before-agent",
      "callbacks:short-circuit:before-agent",
      "agents:base:before-agent-callbacks",
    );
    const world = await createAgentWorld(
      helper([], { beforeAgentCallback: (context) => modelContent(`no, ${context.agentName}`) }),
    );
    expect((await world.run("hi")).map(brief)).toEqual(["helper: no, helper"]);
  });

  it("add a content after the agent as one more event, and keep state written without content", async () => {
    verifies("callbacks:after-agent", "agents:base:after-agent-callbacks", "callbacks:context:event-actions");
    const agent = helper(["hi"], {
      beforeAgentCallback: (context) => context.state.set("before", 1),
      afterAgentCallback: [
        (context) => {
          context.eventActions.stateDelta["after"] = context.state.get("before") ?? null;
        },
        () => modelContent("bye"),
        () => modelContent("never reached"),
      ],
    });
    const world = await createAgentWorld(agent);
    expect((await world.run("hi")).map(brief)).toEqual(["helper: ", "helper: hi", "helper: bye"]);
    expect((await world.session()).state).toEqual({ before: 1, after: 1 });
  });

  it("may return a value or a promise, and run in order until one answers", async () => {
    verifies(
      "callbacks:sync-variants",
      "callbacks:chain",
      "callbacks:short-circuit:before-model",
      "agents:llm:before-model-callbacks",
    );
    const order: string[] = [];
    const agent = helper([], {
      beforeModelCallback: [
        async (_context, request) => {
          order.push(`first ${request.contents.length}`);
        },
        (context) => {
          order.push("second");
          context.state.set("asked", true);
          return { content: modelContent("from the callback") };
        },
        () => {
          order.push("third");
        },
      ],
    });
    const world = await createAgentWorld(agent);
    expect((await world.run("hi")).map(brief)).toEqual(["helper: from the callback"]);
    expect(order).toEqual(["first 1", "second"]);
    expect((await world.session()).state).toEqual({ asked: true });
  });

  it("change the model's response, and answer for a model that fails", async () => {
    verifies(
      "callbacks:after-model",
      "callbacks:on-model-error",
      "agents:llm:after-model-callbacks",
      "agents:llm:on-model-error-callbacks",
    );
    const agent = helper(["hi", new Error("down")], {
      afterModelCallback: (_context, response) => ({
        ...response,
        content: modelContent(`${response.content?.parts?.[0]?.text}!`),
      }),
      onModelErrorCallback: (_context, request, error) => ({
        content: modelContent(`${request.model} says ${error.message}`),
      }),
    });
    const world = await createAgentWorld(agent);
    expect((await world.run("a")).map(brief)).toEqual(["helper: hi!"]);
    expect((await world.run("b")).map(brief)).toEqual(["helper: scripted says down!"]);
  });

  it("change a tool's arguments, replace its result, and answer for one that fails", async () => {
    verifies(
      "tools:function:errors",
      "callbacks:before-tool",
      "callbacks:after-tool",
      "callbacks:on-tool-error",
      "agents:llm:before-tool-callbacks",
      "agents:llm:after-tool-callbacks",
      "agents:llm:on-tool-error-callbacks",
    );
    const call: ScriptedStep = {
      content: {
        role: "model",
        parts: [{ functionCall: { name: "echo", args: { x: 1 } } }, { functionCall: { name: "boom", args: {} } }],
      },
    };
    const agent = helper([call, "ok"], {
      beforeToolCallback: (invocation, tool, args) => {
        if (tool.name === "echo") args["from"] = invocation.agent.name;
      },
      afterToolCallback: (_invocation, tool, _args, context, result) => ({
        ...result,
        seen: tool.name,
        id: context.functionCallId ?? null,
      }),
      onToolErrorCallback: (_invocation, _tool, _args, _context, error) => ({ recovered: error.message }),
    });
    const world = await createAgentWorld(agent);
    const [, answers] = await world.run("go");
    expect(answers?.content?.parts?.map((part) => part.functionResponse?.response)).toEqual([
      { x: 1, from: "helper", seen: "echo", id: expect.stringMatching(/^adk-/) },
      { recovered: "broken", seen: "boom", id: expect.stringMatching(/^adk-/) },
    ]);
  });

  it("get what was thrown as an error, with anything else as its cause", async () => {
    verifies("typescript:errors-in-callbacks");
    const odd = { code: 7 };
    const fails = new FunctionTool({ name: "fails", description: "Fails oddly.", execute: () => Promise.reject(odd) });
    const seen: Error[] = [];
    const agent = helper([functionCallResponse("fails"), () => Promise.reject(odd)], {
      tools: [fails],
      onToolErrorCallback: (_context, _tool, _args, _toolContext, error) => {
        seen.push(error);
        return { ok: false };
      },
      onModelErrorCallback: (_context, _request, error) => {
        seen.push(error);
        return { content: modelContent("mended") };
      },
    });
    const world = await createAgentWorld(agent);
    expect((await world.run("go")).map(brief)).toEqual([
      "helper: fails({})",
      'helper: fails -> {"ok":false}',
      "helper: mended",
    ]);
    expect(seen.map((error) => [error instanceof Error, error.cause])).toEqual([
      [true, odd],
      [true, odd],
    ]);
  });

  it("take the place of a tool", async () => {
    verifies("callbacks:short-circuit:before-tool");
    const world = await createAgentWorld(
      helper([functionCallResponse("boom"), "ok"], { beforeToolCallback: () => ({ instead: true }) }),
    );
    expect((await world.run("go")).map(brief)[1]).toBe('helper: boom -> {"instead":true}');
  });

  it("end the run with an error that names the agent when they throw", async () => {
    const agent = helper([], {
      beforeModelCallback: () => {
        throw new Error("oops");
      },
    });
    const world = await createAgentWorld(agent);
    await expect(world.run("go")).rejects.toThrow('Agent "helper" failed in beforeModelCallback: oops');
  });
});

describe("plugins", () => {
  it("see every step of a run, before the agent's own callbacks", async () => {
    verifies(
      "what-the-service-does:kit-plugins",
      "events:hooks-in-process",
      "plugins:before-run",
      "plugins:after-run",
      "plugins:before-agent",
      "plugins:after-agent",
      "plugins:before-model",
      "plugins:after-model",
      "plugins:before-tool",
      "plugins:after-tool",
    );
    const plugin = new RecordingPlugin();
    const world = await createAgentWorld(helper([functionCallResponse("echo", { x: 1 }), "done"]), {
      plugins: [plugin],
    });
    await world.run("go");
    expect(plugin.calls.map((call) => call.hook)).toEqual([
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
  });

  it("replace the message before it is stored and events before they are stored", async () => {
    verifies("plugins:further-hooks");
    const plugin: Plugin = {
      name: "censor",
      onUserMessageCallback: () => ({ role: "user", parts: [{ text: "[removed]" }] }),
      onEventCallback: (_context, event) => ({ ...event, id: "forged", customMetadata: { seen: true } }),
    };
    const world = await createAgentWorld(helper(["hi"]), { plugins: [plugin] });
    await world.run("secret");
    const { events } = await world.session();
    expect(events.map(brief)).toEqual(["user: [removed]", "helper: hi"]);
    expect(events[1]).toMatchObject({ customMetadata: { seen: true }, id: expect.not.stringMatching("forged") });
  });

  it("end a run before any agent runs, and the answer passes the plugins and is stored", async () => {
    const halt: Plugin = { name: "halt", beforeRunCallback: () => modelContent("halted") };
    const mark: Plugin = {
      name: "mark",
      onEventCallback: (_context, event) => ({ ...event, customMetadata: { seen: true } }),
    };
    const world = await createAgentWorld(helper([]), { plugins: [halt, mark] });
    const [event] = await world.run("go");
    const { events } = await world.session();
    expect(events.map(brief)).toEqual(["user: go", "model: halted"]);
    expect(event).toEqual(events[1]);
    expect(event).toMatchObject({ customMetadata: { seen: true } });
  });

  it("take precedence over the agent's own callbacks, first registered first", async () => {
    verifies("callbacks:chain", "plugins:order");
    const answer = (text: string): Plugin => ({
      name: text,
      beforeModelCallback: () => ({ content: modelContent(text) }),
    });
    const agent = helper([], { beforeModelCallback: () => ({ content: modelContent("own") }) });
    const world = await createAgentWorld(agent, { plugins: [new RecordingPlugin(), answer("one"), answer("two")] });
    expect((await world.run("go")).map(brief)).toEqual(["helper: one"]);
  });

  it("run their last hooks when the run fails too", async () => {
    const plugin = new RecordingPlugin();
    const world = await createAgentWorld(helper([new Error("down")]), { plugins: [plugin] });
    await expect(world.run("go")).rejects.toThrow("down");
    expect(plugin.calls.map((call) => call.hook).slice(-3)).toEqual([
      "onModelErrorCallback",
      "onRunErrorCallback",
      "afterRunCallback",
    ]);
  });
});

describe("PluginManager", () => {
  it("keeps plugins by name and refuses a second of the same", () => {
    verifies("plugins:manager:register", "plugins:manager:get-plugins", "plugins:manager:get-plugin");
    const first: Plugin = { name: "first" };
    const manager = new PluginManager([first]);
    const second: Plugin = { name: "second" };
    manager.registerPlugin(second);
    expect(manager.getPlugins()).toEqual([first, second]);
    expect(manager.getPlugin("second")).toBe(second);
    expect(manager.getPlugin("third")).toBeUndefined();
    expect(() => manager.registerPlugin({ name: "first" })).toThrow('A plugin named "first" is registered already');
  });

  it("closes all, even if one of them throws", async () => {
    verifies("plugins:close");
    const closed: string[] = [];
    const manager = new PluginManager([
      { name: "bad", close: () => Promise.reject(new Error("stuck")) },
      { name: "good", close: () => void closed.push("good") },
    ]);
    expect(await manager.close()).toHaveLength(1);
    expect(closed).toEqual(["good"]);
  });

  it("leaves no timer behind for plugins that have closed in time", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const manager = new PluginManager([
      { name: "one", close: () => Promise.resolve() },
      { name: "two", close: () => Promise.reject(new Error("stuck")) },
    ]);
    await manager.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("reports a plugin that does not close in time, and closes the next one", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const closed: string[] = [];
    const manager = new PluginManager([
      { name: "slow", close: () => new Promise(() => {}) },
      { name: "good", close: () => void closed.push("good") },
    ]);
    const closing = manager.close(1000);
    await vi.advanceTimersByTimeAsync(999);
    expect(closed).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await closing).toEqual([
      expect.objectContaining({ message: 'Plugin "slow" did not close within 1000 ms.' }),
    ]);
    expect(closed).toEqual(["good"]);
  });

  it("includes a plugin that is registered after a chain was read", () => {
    const hook = () => undefined;
    const manager = new PluginManager([{ name: "first", beforeRunCallback: hook }]);
    expect(manager.links("beforeRunCallback").map(({ owner }) => owner)).toEqual(['Plugin "first"']);
    manager.registerPlugin({ name: "second", beforeRunCallback: hook });
    expect(manager.links("beforeRunCallback").map(({ owner }) => owner)).toEqual(['Plugin "first"', 'Plugin "second"']);
  });
});
