import { describe, expect, it, vi } from "vitest";
import { SequentialAgent } from "#kit/agents/sequential-agent.ts";
import type { Toolset } from "#kit/core/base-tool.ts";
import { StreamingMode } from "#kit/core/context/run-config.ts";
import { modelContent, userContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { RecordingPlugin } from "#kit/testing/recording-plugin.ts";
import { functionCallResponse, ScriptedModel, streamedText } from "#kit/testing/scripted-model.ts";
import { AgentTool } from "#kit/tools/agent-tool.ts";
import { FunctionTool, LongRunningFunctionTool } from "#kit/tools/function-tool.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";

// What users of agent kits report most. Each test is named after what they saw.

const KEY = { appName: "app", userId: "ada", id: "talk" };
const remember = new FunctionTool({
  name: "remember",
  description: "Keeps a value.",
  execute: ({ key, value }, context) => context.state.set(String(key), value ?? null),
});

describe("sessions and concurrent writes", () => {
  it("'stale session' though nobody else wrote: clocks that stand still refuse nothing", async () => {
    const model = new ScriptedModel([functionCallResponse("remember", { key: "k", value: 1 }), "one", "two"]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools: [remember] }));
    await world.run("a");
    await world.run("b");
    const { events } = await world.session();
    expect([events.length, new Set(events.map(({ timestamp }) => timestamp)).size]).toEqual([6, 1]);
  });

  it("'stale session' after two messages in quick succession: both are answered, in order", async () => {
    const model = new ScriptedModel(["one", "two", "three"]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model }));
    await Promise.all(["a", "b", "c"].map((text) => world.run(text)));
    expect((await world.session()).events.map(brief)).toEqual([
      "user: a",
      "helper: one",
      "user: b",
      "helper: two",
      "user: c",
      "helper: three",
    ]);
  });

  it("a write from outside kills the active turn: both are kept", async () => {
    const outside = new FunctionTool({
      name: "outside",
      description: "Stands for another program.",
      execute: () =>
        world.store
          .applyStateDelta({ ...KEY, stateDelta: { rate: 2 }, author: "user", invocationId: "other" })
          .then(() => "ok"),
    });
    const model = new ScriptedModel([functionCallResponse("outside"), "done"]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools: [outside], outputKey: "said" }));
    expect((await world.run("go")).map(brief).at(-1)).toBe("helper: done");
    expect((await world.session()).state).toEqual({ rate: 2, said: "done" });
  });

  it("a write from outside while a person is asked kills the answer: the run continues with it", async () => {
    const ask = new LongRunningFunctionTool({ name: "ask", description: "Asks.", execute: () => undefined });
    const model = new ScriptedModel([functionCallResponse("ask", {}, "call-1"), "thank you"]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools: [ask] }));
    await world.run("go");
    await world.store.applyStateDelta({ ...KEY, stateDelta: { rate: 2 }, author: "user", invocationId: "other" });
    const answer = { functionResponse: { id: "call-1", name: "ask", response: { ok: true } } };
    expect((await world.run({ role: "user", parts: [answer] })).map(brief)).toEqual(["helper: thank you"]);
  });

  it("sessions created at the same time break each other: each exists, and of two of one id one is refused by name", async () => {
    const { store } = await createAgentWorld(new LlmAgent({ name: "helper" }));
    const create = (id: string) => store.createSession({ ...KEY, id, state: { "app:n": id, "user:n": id } });
    const results = await Promise.allSettled([create("one"), create("two"), create("two")]);
    expect(results.map((result) => (result.status === "rejected" ? result.reason.reason : "created"))).toEqual([
      "created",
      "created",
      "SESSION_ALREADY_EXISTS",
    ]);
  });

  it("the prompt misses what a tool just answered: the next step always has it", async () => {
    const model = new ScriptedModel([functionCallResponse("remember", { key: "k", value: 1 }, "c1"), "done"]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools: [remember] }));
    await world.run("go");
    expect(model.requests[1]?.contents.at(-1)?.parts?.[0]?.functionResponse?.id).toBe("c1");
  });
});

describe("state that is not seen, or seen too long", () => {
  it("a later agent does not see what an earlier one has set", async () => {
    const model = new ScriptedModel(["Paris", "Louvre"]);
    const world = await createAgentWorld(
      new SequentialAgent({
        name: "trip",
        subAgents: [
          new LlmAgent({ name: "city", model, outputKey: "city" }),
          new LlmAgent({ name: "sight", model, instruction: "A sight of {city}." }),
        ],
      }),
    );
    await world.run("go");
    expect(model.requests[1]?.systemInstruction).toContain("A sight of Paris.");
  });

  it("the output key is empty in the callback after the agent", async () => {
    const seen: unknown[] = [];
    const world = await createAgentWorld(
      new LlmAgent({
        name: "city",
        model: new ScriptedModel(["Paris"]),
        outputKey: "city",
        afterAgentCallback: ({ state }) => void seen.push(state.get("city")),
      }),
    );
    await world.run("go");
    expect(seen).toEqual(["Paris"]);
  });

  it("temp: values are lost between steps, or leak into the next turn", async () => {
    verifies("session:state-prefix:temp");
    const model = new ScriptedModel([
      functionCallResponse("remember", { key: "temp:hint", value: "now" }),
      "one",
      "two",
      "three",
      "four",
    ]);
    const options = { model, instruction: "hint {temp:hint?}.", tools: [remember] };
    const world = await createAgentWorld(
      new SequentialAgent({
        name: "steps",
        subAgents: [new LlmAgent({ name: "first", ...options }), new LlmAgent({ name: "second", ...options })],
      }),
    );
    await world.run("a");
    await world.run("b");
    const hints = model.requests.map(({ systemInstruction }) => systemInstruction.match(/hint ?(\w*)\./)?.[1]);
    expect(hints).toEqual(["", "now", "now", "", ""]);
    expect(JSON.stringify(await world.session())).not.toContain('temp:hint":');
  });

  it("of two concurrent calls only one's state is kept", async () => {
    const parts = ["a", "b"].map((key) => ({ functionCall: { id: key, name: "remember", args: { key, value: key } } }));
    const model = new ScriptedModel([{ content: { role: "model", parts } }, "done"]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools: [remember] }));
    await world.run("go");
    expect((await world.session()).state).toEqual({ a: "a", b: "b" });
  });
});

it("of two concurrent agents that serve as tools only one's state is kept", async () => {
  const scout = (name: string) =>
    new AgentTool({
      agent: new LlmAgent({ name, outputKey: name, model: new ScriptedModel([`found by ${name}`]) }),
    });
  const parts = ["left", "right"].map((name) => ({ functionCall: { id: name, name, args: { request: "look" } } }));
  const model = new ScriptedModel([{ content: { role: "model", parts } }, "done"]);
  const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools: [scout("left"), scout("right")] }));
  await world.run("go");
  expect((await world.session()).state).toEqual({ left: "found by left", right: "found by right" });
});

describe("cost", () => {
  it("no cap on model calls, or one that starts anew with each agent", async () => {
    verifies("limits:llm-calls");
    const model = new ScriptedModel([functionCallResponse("remember", { key: "k", value: 1 })], { repeatLast: true });
    const world = await createAgentWorld(
      new LlmAgent({
        name: "front",
        model: new ScriptedModel([functionCallResponse("transfer_to_agent", { agent_name: "looper" })]),
        subAgents: [new LlmAgent({ name: "looper", model, tools: [remember] })],
      }),
    );
    await expect(world.run("go", { maxLlmCalls: 5 })).rejects.toMatchObject({
      reason: "LLM_CALL_LIMIT_EXCEEDED",
    });
    expect(model.callCount).toBe(4);
  });

  it("all events are read again on each turn: only what is new is", async () => {
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model: new ScriptedModel(["one", "two"]) }));
    await world.run("a");
    const begin = vi.spyOn(world.store, "begin");
    await world.run("b");
    const [result] = await Promise.all(begin.mock.results.map(({ value }) => value));
    expect(result?.snapshot.events).toEqual([]);
  });
});

describe("leaks and shutdown", () => {
  const toolset = () => {
    const calls: string[] = [];
    const set: Toolset = {
      getTools: async () => {
        calls.push("list");
        return [remember];
      },
      close: async () => void calls.push("close"),
    };
    return { calls, set };
  };

  it("connections of tools are not closed, or closed and opened anew each turn: they live as long as the runner", async () => {
    const { calls, set } = toolset();
    const model = new ScriptedModel(["one", "two"]);
    const world = await createAgentWorld(
      new LlmAgent({
        name: "front",
        model,
        subAgents: [new LlmAgent({ name: "sub", model, tools: [set] })],
        tools: [set],
      }),
    );
    await world.run("a");
    await world.run("b");
    expect(calls).not.toContain("close");
    await world.runner.close();
    expect(calls).toContain("close");
  });

  it("what a plugin has collected is lost at shutdown: closing waits for it", async () => {
    const written: string[] = [];
    const flush = Promise.withResolvers<void>();
    const plugin = new RecordingPlugin("analytics", {
      close: async () => {
        await flush.promise;
        written.push("all");
      },
    });
    const world = await createAgentWorld(new LlmAgent({ name: "helper" }), { plugins: [plugin] });
    const closed = world.runner.close();
    flush.resolve();
    await closed;
    expect(written).toEqual(["all"]);
  });

  it("a plugin that cannot reach its backend keeps the server from stopping: closing continues without it", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const stuck = new RecordingPlugin("stuck", { close: () => new Promise<never>(() => {}) });
      const fine = new RecordingPlugin("fine");
      const world = await createAgentWorld(new LlmAgent({ name: "helper" }), { plugins: [stuck, fine] });
      const closed = expect(world.runner.close()).rejects.toThrow('Plugin "stuck" did not close within 5000 ms.');
      await vi.advanceTimersByTimeAsync(5000);
      await closed;
      expect(fine.hooks).toEqual(["close"]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("'failed to detach context' when a reader leaves early: every span ends, and nothing is logged", async () => {
    const logger = new RecordingLogger();
    const never = new Promise<never>(() => {});
    const model = new ScriptedModel([[...streamedText("he").slice(0, 1), never]]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model }), { logger });
    const request = { userId: "ada", sessionId: "talk", newMessage: userContent("hi") };
    for await (const _ of world.runner.runAsync({ ...request, runConfig: { streamingMode: StreamingMode.SSE } })) break;
    expect(world.spans.map(({ name }) => name)).toEqual(["call_llm", "invoke_agent helper", "invocation"]);
    expect(logger.lines).toEqual([]);
  });

  it("prompts are on spans although nobody asked for it, and a custom tracer cannot be plugged in", async () => {
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model: new ScriptedModel(["an answer"]) }));
    await world.run("a secret");
    expect(world.spans).toHaveLength(3);
    expect(JSON.stringify(world.spans)).not.toMatch(/secret|answer/);
  });

  it("a turn that failed leaves something behind that the next one trips over", async () => {
    const model = new ScriptedModel([
      functionCallResponse("remember", { key: "a", value: 1 }),
      new Error("gone"),
      "well",
    ]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools: [remember] }));
    await expect(world.run("a")).rejects.toThrow("gone");
    expect((await world.run("b")).map(brief)).toEqual(["helper: well"]);
    expect(model.requests.at(-1)?.contents.at(-1)).toEqual(userContent("b"));
    expect(modelContent("well")).toEqual((await world.session()).events.at(-1)?.content);
  });
});
