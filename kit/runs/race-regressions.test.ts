import { describe, expect, it } from "vitest";
import { LoopAgent } from "#kit/agents/loop-agent.ts";
import { createApp } from "#kit/core/app.ts";
import type { Toolset } from "#kit/core/base-tool.ts";
import { StreamingMode } from "#kit/core/context/run-config.ts";
import { modelContent, userContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { functionCallResponse, ScriptedModel, streamedText } from "#kit/testing/scripted-model.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { AgentTool } from "#kit/tools/agent-tool.ts";
import { ExitLoopTool } from "#kit/tools/exit-loop-tool.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { Runner } from "./runner.ts";

// What users of agent kits report most, of things that happen at the same time or one after the other. Each test is
// named after what they saw.

const KEY = { appName: "app", userId: "ada", id: "talk" };
const remember = new FunctionTool({
  name: "remember",
  description: "Keeps a value.",
  execute: ({ key, value }, context) => context.state.set(String(key), value ?? null),
});
const recall = new FunctionTool({
  name: "recall",
  description: "Reads a value.",
  execute: ({ key }, context) => context.state.get(String(key)) ?? null,
});

describe("concurrent writes", () => {
  it("history is corrupted when a session is loaded anew and gone on with: each runner sees all of it, in order", async () => {
    const model = new ScriptedModel(["one", "two", "three"]);
    const agent = new LlmAgent({ name: "helper", model });
    const world = await createAgentWorld(agent);
    await world.run("a");
    const other = new Runner({
      app: createApp({ name: KEY.appName, rootAgent: agent }),
      sessionService: world.store,
      journal: world.store,
      clock: new FixedClock(),
      ids: new SequentialIds("x"),
    });
    await Array.fromAsync(other.runAsync({ userId: "ada", sessionId: "talk", newMessage: userContent("b") }));
    await world.run("c");
    const said = ["a", "one", "b", "two", "c", "three"];
    expect((await world.session()).events.map(({ content }) => content?.parts?.[0]?.text)).toEqual(said);
    expect(model.requests[2]?.contents.map(({ parts }) => parts?.[0]?.text)).toEqual(said.slice(0, -1));
  });

  it("compaction in the background races with the next message: that one waits, and sees the summary", async () => {
    const begun = Promise.withResolvers<void>();
    const summary = Promise.withResolvers<void>();
    const summarizer = {
      summarizeEvents: async () => {
        begun.resolve();
        await summary.promise;
        return { content: modelContent("SUMMARY") };
      },
    };
    const model = new ScriptedModel(["one", "two"]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model }), {
      eventsCompaction: { compactionInterval: 1, overlapSize: 0, summarizer },
    });
    const first = world.run("a");
    await begun.promise;
    const second = world.run("b");
    summary.resolve();
    await Promise.all([first, second]);
    const kinds = (await world.session()).events.map((event) =>
      event.actions.compaction === undefined ? brief(event) : "summary",
    );
    expect(kinds).toEqual(["user: a", "helper: one", "summary", "user: b", "helper: two", "summary"]);
    expect(model.requests[1]?.contents.map(({ parts }) => parts?.at(-1)?.text)).toEqual(["SUMMARY", "b"]);
  });

  it("of many concurrent changes some are lost: all are kept", async () => {
    const { store, session } = await createAgentWorld(new LlmAgent({ name: "helper" }));
    const keys = Array.from({ length: 50 }, (_, index) => `k${index}`);
    const change = { ...KEY, author: "user", invocationId: "outside" };
    await Promise.all(keys.map((key) => store.applyStateDelta({ ...change, stateDelta: { [key]: key } })));
    const { state, events } = await session();
    expect(state).toEqual(Object.fromEntries(keys.map((key) => [key, key])));
    expect(events).toHaveLength(50);
  });

  it("a list of events that somebody reads changes under him: what was read stays as it was", async () => {
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model: new ScriptedModel(["one", "two"]) }));
    await world.run("a");
    const { events } = await world.session();
    await world.run("b");
    expect(events.map(brief)).toEqual(["user: a", "helper: one"]);
  });
});

describe("state within a run", () => {
  it("temp: values that a tool sets are lost in the next tool, or in an agent that serves as a tool", async () => {
    const inner = new LlmAgent({
      name: "inner",
      model: new ScriptedModel([functionCallResponse("recall", { key: "temp:hint" }), "seen"]),
      tools: [recall],
    });
    const model = new ScriptedModel([
      functionCallResponse("remember", { key: "temp:hint", value: "now" }),
      functionCallResponse("recall", { key: "temp:hint" }),
      functionCallResponse("inner", { request: "Look." }),
      "done",
    ]);
    const tools = [remember, recall, new AgentTool({ agent: inner })];
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools }));
    const events = await world.run("go");
    expect(events.map(brief).filter((line) => line.includes("recall ->"))).toEqual([
      'helper: recall -> {"result":"now"}',
      'inner: recall -> {"result":"now"}',
    ]);
    const { state, events: stored } = await world.session();
    expect([state, stored.flatMap(({ actions }) => Object.keys(actions.stateDelta))]).toEqual([{}, []]);
  });

  it("a loop within a loop runs its agents once more after it has ended: each pass of the outer one has one inner loop", async () => {
    const model = new ScriptedModel([
      ...["one", functionCallResponse("exit_loop")],
      ...["two", functionCallResponse("exit_loop")],
    ]);
    const worker = new LlmAgent({ name: "worker", model, tools: [new ExitLoopTool()] });
    const after = new LlmAgent({ name: "after", model: new ScriptedModel(["first", "second"]) });
    const inner = new LoopAgent({ name: "inner", subAgents: [worker], maxIterations: 5 });
    const outer = new LoopAgent({ name: "outer", subAgents: [inner, after], maxIterations: 2 });
    const said = (await (await createAgentWorld(outer)).run("go")).map(brief);
    expect(said.filter((line) => !line.includes("exit_loop"))).toEqual([
      ...["worker: one", "after: first"],
      ...["worker: two", "after: second"],
    ]);
    expect(model.callCount).toBe(4);
  });
});

describe("resources", () => {
  it("a toolset's connection is opened for each turn, and closed for each agent that has it: opened and closed once", async () => {
    const calls: string[] = [];
    let tools: Promise<readonly FunctionTool[]> | undefined;
    const server: Toolset = {
      getTools: () => {
        tools ??= Promise.resolve([remember]).finally(() => calls.push("open"));
        return tools;
      },
      close: async () => void calls.push("close"),
    };
    const model = new ScriptedModel([functionCallResponse("transfer_to_agent", { agent_name: "sub" }), "one", "two"]);
    const sub = new LlmAgent({ name: "sub", model, tools: [server] });
    const world = await createAgentWorld(new LlmAgent({ name: "front", model, subAgents: [sub], tools: [server] }));
    await world.run("a");
    await world.run("b");
    expect(calls).toEqual(["open"]);
    await world.runner.close();
    expect(calls).toEqual(["open", "close"]);
  });

  it("a model's stream runs on, and is paid for, when its reader has gone: it is ended", async () => {
    let isOpen = true;
    const model = new ScriptedModel([
      (_request, { signal }) => {
        signal.addEventListener("abort", () => {
          isOpen = false;
        });
        return streamedText("he", "llo");
      },
    ]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model }));
    const request = { userId: "ada", sessionId: "talk", newMessage: userContent("hi") };
    const runConfig = { streamingMode: StreamingMode.SSE };
    for await (const { partial } of world.runner.runAsync({ ...request, runConfig })) if (partial === true) break;
    expect(isOpen).toBe(false);
  });
});
