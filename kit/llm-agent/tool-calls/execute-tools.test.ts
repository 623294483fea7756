import { describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import type { BaseTool } from "#kit/core/base-tool.ts";
import type { FunctionCall } from "#kit/events/content.ts";
import { type Event, functionCalls, functionResponses } from "#kit/events/event.ts";
import type { LlmAgentOptions } from "#kit/llm-agent/base/base-llm-agent.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { functionCallResponse, ScriptedModel, type ScriptedStep } from "#kit/testing/scripted-model.ts";
import { FunctionTool, type FunctionToolOptions, LongRunningFunctionTool } from "#kit/tools/function-tool.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";

type ToolOptions = Partial<FunctionToolOptions<ReturnType<typeof taggedSchema>>>;

function taggedSchema() {
  return z.object({ tag: z.string().default("") });
}

function tool(
  name: string,
  execute: FunctionToolOptions<ReturnType<typeof taggedSchema>>["execute"],
  more: ToolOptions = {},
) {
  return new FunctionTool({ name, description: `Does ${name}.`, parameters: taggedSchema(), execute, ...more });
}

function calls(...functionCalls: readonly FunctionCall[]): LlmResponse {
  return { content: { role: "model", parts: functionCalls.map((functionCall) => ({ functionCall })) } };
}

async function runWith(
  steps: readonly ScriptedStep[],
  tools: readonly BaseTool[],
  options: Partial<LlmAgentOptions> = {},
) {
  const model = new ScriptedModel(steps);
  const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools, ...options }));
  return { world, model };
}

function answers(event: Event | undefined): readonly unknown[] {
  return event === undefined ? [] : functionResponses(event).map(({ response }) => response);
}

/** Every call of the session has exactly one response. */
async function expectPaired({ session }: { session(): Promise<{ events: readonly Event[] }> }): Promise<void> {
  const { events } = await session();
  const asked = events.flatMap(functionCalls).map(({ id }) => id);
  expect(asked.every((id) => id !== undefined)).toBe(true);
  expect(new Set(asked).size).toBe(asked.length);
  expect(
    events
      .flatMap(functionResponses)
      .map(({ id }) => id)
      .sort(),
  ).toEqual(asked.sort());
}

describe("call ids", () => {
  it("are made where the model gives none, and where it gives one twice", async () => {
    const same = { name: "echo", id: "c1" };
    const { world } = await runWith([calls(same, same, { name: "echo" }), "ok"], [tool("echo", () => 1)]);
    const [call, response] = await world.run("go");
    const ids = call === undefined ? [] : functionCalls(call).map(({ id }) => id);
    expect(ids).toEqual(["c1", expect.stringMatching(/^adk-/), expect.stringMatching(/^adk-/)]);
    expect(response === undefined ? [] : functionResponses(response).map(({ id }) => id)).toEqual(ids);
    await expectPaired(world);
  });
});

describe("tools of one answer", () => {
  /** Records when each call begins and ends; calls end in turns of the event loop as their tag says. */
  function recorder(more: Record<string, ToolOptions> = {}) {
    const log: string[] = [];
    const make = (name: string) =>
      tool(
        name,
        async ({ tag }) => {
          log.push(`+${tag}`);
          await new Promise(setImmediate);
          log.push(`-${tag}`);
          return tag;
        },
        more[name],
      );
    return { log, tools: [make("free"), make("alone")] };
  }
  const round = calls(
    { name: "free", args: { tag: "a" } },
    { name: "free", args: { tag: "b" } },
    { name: "alone", args: { tag: "c" } },
    { name: "free", args: { tag: "d" } },
  );

  it("run at the same time, though other kits run them one by one", async () => {
    const { log, tools } = recorder();
    const { world } = await runWith([round, "ok"], tools);
    const [, response] = await world.run("go");
    expect(log.slice(0, 4)).toEqual(["+a", "+b", "+c", "+d"]);
    expect(answers(response)).toEqual([{ result: "a" }, { result: "b" }, { result: "c" }, { result: "d" }]);
  });

  it("run alone where the tool is not safe to run beside others", async () => {
    verifies("tools:calls-at-once");
    const { log, tools } = recorder({ alone: { parallelSafe: false } });
    const { world } = await runWith([round, "ok"], tools);
    await world.run("go");
    expect(log).toEqual(["+a", "+b", "-a", "-b", "+c", "-c", "+d", "-d"]);
  });

  it("merge what they did in the order of the calls, whichever ends first", async () => {
    const gate = Promise.withResolvers<void>();
    const first = tool("first", async (_args, context) => {
      await gate.promise;
      context.state.set("last", "first");
      context.state.set("seen", { first: 1 });
      context.actions.escalate = true;
    });
    const second = tool("second", (_args, context) => {
      context.state.set("last", "second");
      context.state.set("seen", { second: 2 });
      context.actions.escalate = false;
      gate.resolve();
    });
    const { world } = await runWith([calls({ name: "first" }, { name: "second" }), "ok"], [first, second]);
    const [, response] = await world.run("go");
    expect(response?.actions).toMatchObject({
      stateDelta: { last: "second", seen: { first: 1, second: 2 } },
      escalate: true,
    });
    expect((await world.session()).state).toEqual({ last: "second", seen: { first: 1, second: 2 } });
  });

  it("fail alone: the others' results are kept", async () => {
    const boom = tool("boom", () => {
      throw new Error("it broke");
    });
    const { world } = await runWith([calls({ name: "boom" }, { name: "fine" }), "ok"], [boom, tool("fine", () => 1)]);
    const [, response, last] = await world.run("go");
    expect([answers(response), last && brief(last)]).toEqual([[{ error: "it broke" }, { result: 1 }], "helper: ok"]);
  });

  it("end well when there are ten thousand of them", async () => {
    verifies("tools:calls-at-once");
    let running = 0;
    let most = 0;
    let count = 0;
    const one = tool("one", async () => {
      most = Math.max(most, ++running);
      count += 1;
      await Promise.resolve();
      running -= 1;
    });
    const many = calls(...Array.from({ length: 10_000 }, () => ({ name: "one" })));
    const { world } = await runWith([many, "enough"], [one]);
    const events = await world.run("go");
    expect([count, most, events.length]).toEqual([1000, 64, 3]);
    expect(answers(events[1])).toHaveLength(10_000);
    expect(answers(events[1]).at(-1)).toEqual({ error: expect.stringContaining("only the first 1000 calls") });
    await expectPaired(world);
  });
});

describe("a tool that does not answer in time", () => {
  it("has its own signal aborted; the model gets an error and the run continues", async () => {
    verifies("tools:timeout");
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    let signal: AbortSignal | undefined;
    const started = Promise.withResolvers<void>();
    const hang = tool(
      "hang",
      (_args, context) => {
        signal = context.signal;
        started.resolve();
        return new Promise(() => {});
      },
      { timeoutMs: 5000 },
    );
    const { world } = await runWith([calls({ name: "hang" }), "sorry"], [hang]);
    const running = world.run("go");
    await started.promise;
    await vi.advanceTimersByTimeAsync(4999);
    expect(signal?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    const [, response, last] = await running;
    const error = "The tool hang did not answer within 5000 ms and was stopped; whether it took effect is unknown.";
    expect([answers(response), last && brief(last), signal?.reason]).toEqual([
      [{ error }],
      "helper: sorry",
      expect.objectContaining({ reason: "TOOL_TIMED_OUT" }),
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a run that ends while tools run", () => {
  async function cancelDuring(tools: readonly BaseTool[], cancel: AbortController, ...asked: readonly FunctionCall[]) {
    const { world } = await runWith([calls(...asked), "next turn"], tools);
    const newMessage = { role: "user", parts: [{ text: "go" }] };
    const run = world.runner.runAsync({ userId: "ada", sessionId: "talk", newMessage, signal: cancel.signal });
    await expect(Array.fromAsync(run)).rejects.toMatchObject({ details: { reason: "RUN_CANCELLED" } });
    return world;
  }

  it("answers every call before its end, keeps what was done, and leaves a session that works", async () => {
    verifies("tools:every-call-answered");
    const cancel = new AbortController();
    const hang = tool("hang", () => {
      setImmediate(() => cancel.abort());
      return new Promise(() => {});
    });
    const late = tool("late", () => "never", { parallelSafe: false });
    const asked = [{ name: "fine" }, { name: "hang" }, { name: "late" }];
    const world = await cancelDuring([tool("fine", () => 1), hang, late], cancel, ...asked);
    const [response, end] = (await world.session()).events.slice(-2);
    expect(answers(response)).toEqual([
      { result: 1 },
      { error: "The run ended before this call had answered; whether it took effect is unknown." },
      { error: "The run ended before this call began: it did not run." },
    ]);
    expect(end?.errorCode).toBe("RUN_CANCELLED");
    await expectPaired(world);
    expect((await world.run("and now?")).map(brief)).toEqual(["helper: next turn"]);
  });

  it("does not wait for calls that the agent's executor has not begun", async () => {
    const cancel = new AbortController();
    const executor = {
      execute: () => {
        setImmediate(() => cancel.abort());
        return new Promise<never>(() => {});
      },
    };
    const { world } = await runWith([calls({ name: "fine" })], [tool("fine", () => 1)], { executor });
    const newMessage = { role: "user", parts: [{ text: "go" }] };
    const run = world.runner.runAsync({ userId: "ada", sessionId: "talk", newMessage, signal: cancel.signal });
    await expect(Array.fromAsync(run)).rejects.toMatchObject({ details: { reason: "RUN_CANCELLED" } });
    expect(answers((await world.session()).events.at(-2))).toEqual([
      { error: "The run ended before this call began: it did not run." },
    ]);
  });

  it("answers calls that the agent's executor refuses, and fails", async () => {
    const executor = { execute: () => Promise.reject(new Error("no room")) };
    const { world } = await runWith([calls({ name: "fine" })], [tool("fine", () => 1)], { executor });
    await expect(world.run("go")).rejects.toThrow("no room");
    await expectPaired(world);
  });

  it("stores results before it fails with a callback that threw", async () => {
    const beforeToolCallback = (_context: unknown, { name }: BaseTool) => {
      if (name === "bad") throw new Error("callback broke");
    };
    const { world } = await runWith(
      [calls({ name: "fine" }, { name: "bad" })],
      [tool("fine", () => 1), tool("bad", () => 2)],
      {
        beforeToolCallback,
      },
    );
    await expect(world.run("go")).rejects.toThrow("callback broke");
    const [response, end] = (await world.session()).events.slice(-2);
    expect(answers(response)).toEqual([
      { result: 1 },
      { error: 'The run failed at this call: Agent "helper" failed in beforeToolCallback.' },
    ]);
    expect(end?.errorCode).toBe("CALLBACK_FAILED");
    await expectPaired(world);
  });
});

describe("a streaming tool", () => {
  async function* count({ tag }: { tag: string }) {
    yield `${tag}1`;
    yield { step: `${tag}2` };
  }

  it("shows each value as it comes, and the last one is its response", async () => {
    verifies("tools:function:is-streaming");
    const stream = tool("count", count);
    expect([stream.isStreaming, tool("plain", () => 1).isStreaming]).toEqual([true, false]);
    const { world } = await runWith([calls({ name: "count", id: "c1", args: { tag: "n" } }), "ok"], [stream]);
    const events = await world.run("go");
    const [call, ...progress] = events.slice(0, 3);
    expect(call?.partial).toBeUndefined();
    expect(progress.map((event) => [event.partial, event.content?.parts])).toEqual([
      [true, [{ functionResponse: { id: "c1", name: "count", response: { result: "n1" }, willContinue: true } }]],
      [true, [{ functionResponse: { id: "c1", name: "count", response: { step: "n2" }, willContinue: true } }]],
    ]);
    expect(answers(events[3])).toEqual([{ step: "n2" }]);
    expect(new Set(events.slice(1, 4).map(({ id }) => id)).size).toBe(1);
    expect((await world.session()).events.map(brief)).toEqual([
      "user: go",
      'helper: count({"tag":"n"})',
      'helper: count -> {"step":"n2"}',
      "helper: ok",
    ]);
  });

  it("answers with what it returns, if that is anything", async () => {
    const stream = tool("work", async function* () {
      yield 10;
      return "done";
    });
    const { world } = await runWith([calls({ name: "work" }), "ok"], [stream]);
    const events = await world.run("go");
    expect(events.map(brief)).toEqual([
      "helper: work(undefined)",
      'helper~: work -> {"result":10}',
      'helper: work -> {"result":"done"}',
      "helper: ok",
    ]);
  });

  it("that fails on its way has failed", async () => {
    const stream = tool("work", async function* () {
      yield 10;
      throw new Error("half way");
    });
    const { world } = await runWith([calls({ name: "work" }), "ok"], [stream]);
    expect(answers((await world.run("go"))[2])).toEqual([{ error: "half way" }]);
  });

  it("is closed when the run is cancelled", async () => {
    const cancel = new AbortController();
    const closed = Promise.withResolvers<void>();
    const endless = tool("endless", async function* () {
      try {
        for (let value = 0; ; value += 1) {
          if (value === 3) cancel.abort();
          yield value;
        }
      } finally {
        closed.resolve();
      }
    });
    const { world } = await runWith([calls({ name: "endless" })], [endless]);
    const newMessage = { role: "user", parts: [{ text: "go" }] };
    const run = world.runner.runAsync({ userId: "ada", sessionId: "talk", newMessage, signal: cancel.signal });
    await expect(Array.fromAsync(run)).rejects.toThrow();
    await closed.promise;
    await expectPaired(world);
  });
});

describe("long-running tools", () => {
  it("are answered by their first notice, and later by the user", async () => {
    verifies("tools:function:long-running");
    const job = new LongRunningFunctionTool({ name: "job", description: "Works.", execute: () => ({ ticket: 7 }) });
    const { world } = await runWith([functionCallResponse("job", {}, "j1"), "started", "finished"], [job]);
    const events = await world.run("go");
    expect([events[0]?.longRunningToolIds, answers(events[1])]).toEqual([["j1"], [{ ticket: 7 }]]);
    const functionResponse = { id: "j1", name: "job", response: { ok: true } };
    expect((await world.run({ role: "user", parts: [{ functionResponse }] })).map(brief)).toEqual(["helper: finished"]);
  });
});
