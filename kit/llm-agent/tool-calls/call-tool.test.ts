import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { BaseTool } from "#kit/core/base-tool.ts";
import { userContent } from "#kit/events/content.ts";
import { functionCalls } from "#kit/events/event.ts";
import type { LlmAgentOptions } from "#kit/llm-agent/base/base-llm-agent.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { functionCallResponse, ScriptedModel, type ScriptedStep } from "#kit/testing/scripted-model.ts";
import { FunctionTool, LongRunningFunctionTool } from "#kit/tools/function-tool.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";

function worldWith(tool: BaseTool, steps: readonly ScriptedStep[], options: Partial<LlmAgentOptions> = {}) {
  return createAgentWorld(new LlmAgent({ name: "helper", model: new ScriptedModel(steps), tools: [tool], ...options }));
}

function fakeTimers(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
}

describe("a call of a tool", () => {
  it.each([
    ["a tool", FunctionTool],
    ["a long-running tool", LongRunningFunctionTool],
  ])("is stored before %s runs", async (_, Tool) => {
    const stored: string[][] = [];
    const look = new Tool({
      name: "look",
      description: "Looks.",
      execute: async () => {
        stored.push((await world.session()).events.map(brief));
        return "seen";
      },
    });
    const world = await worldWith(look, [functionCallResponse("look"), "done"]);
    await world.run("go");
    expect(stored).toEqual([["user: go", "helper: look({})"]]);
  });
});

describe("a long-running tool", () => {
  it.each([[undefined], [null]])("that returns %j has not answered yet", async (nothing) => {
    const job = new LongRunningFunctionTool({ name: "job", description: "Works.", execute: () => nothing });
    const world = await worldWith(job, [functionCallResponse("job", {}, "j1")]);
    expect((await world.run("go")).map(brief)).toEqual(["helper: job({})"]);
    expect((await world.store.list({})).runs.map(({ status }) => status)).toEqual(["awaiting_input"]);
  });

  it("ends the run with the request for a credential, though it has not answered yet", async () => {
    const job = new LongRunningFunctionTool({
      name: "job",
      description: "Works.",
      execute: (_args, context) => context.requestCredential(config),
    });
    const config = { authScheme: { type: "http", scheme: "bearer" }, credentialKey: "k" } as const;
    const world = await worldWith(job, [functionCallResponse("job", {}, "j1"), "thanks"]);
    const [, request, question] = await world.run("go");
    expect([request?.actions.requestedAuthConfigs, question && functionCalls(question)]).toEqual([
      { j1: config },
      [
        {
          id: expect.stringMatching(/^adk-/),
          name: "adk_request_credential",
          args: { functionCallId: "j1", authConfig: config },
        },
      ],
    ]);
    expect((await world.store.list({})).runs.map(({ status }) => status)).toEqual(["awaiting_input"]);
  });

  it("keeps the state that it has written, whether or not another call of the answer has a response", async () => {
    const job = new LongRunningFunctionTool({
      name: "job",
      description: "Works.",
      execute: (_args, context) => context.state.set("ticket", 7),
    });
    const look = new FunctionTool({ name: "look", description: "Looks.", execute: () => "seen" });
    for (const names of [["job"], ["job", "look"]]) {
      const parts = names.map((name) => ({ functionCall: { name, args: {} } }));
      const model = new ScriptedModel([{ content: { role: "model", parts } }, "started"]);
      const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools: [job, look] }));
      await world.run("go");
      expect((await world.session()).state, names.join()).toEqual({ ticket: 7 });
    }
  });
});

describe("a call whose callback throws", () => {
  it("keeps what its tool has done", async () => {
    const pay = new FunctionTool({
      name: "pay",
      description: "Pays.",
      execute: (_args, context) => context.state.set("paid", true),
    });
    const afterToolCallback = () => {
      throw new Error("callback broke");
    };
    const world = await worldWith(pay, [functionCallResponse("pay")], { afterToolCallback });
    await expect(world.run("go")).rejects.toThrow("callback broke");
    expect((await world.session()).state).toEqual({ paid: true });
  });
});

describe("the callbacks behind a tool", () => {
  it("may replace its response, also the one of a callback before it", async () => {
    const look = new FunctionTool({ name: "look", description: "Looks.", execute: () => "seen" });
    const afterToolCallback = (
      _context: unknown,
      _tool: unknown,
      _args: unknown,
      _context2: unknown,
      result: object,
    ) => ({
      was: JSON.stringify(result),
    });
    for (const beforeToolCallback of [undefined, () => ({ early: true })]) {
      const world = await worldWith(look, [functionCallResponse("look"), "done"], {
        afterToolCallback,
        ...(beforeToolCallback !== undefined && { beforeToolCallback }),
      });
      const was = JSON.stringify(beforeToolCallback === undefined ? { result: "seen" } : { early: true });
      expect((await world.run("go")).map(brief)[1]).toBe(`helper: look -> ${JSON.stringify({ was })}`);
    }
  });
});

describe("the span of a call", () => {
  it("has the response and the arguments only where content is captured", async () => {
    const look = new FunctionTool({ name: "look", description: "Looks.", execute: () => "seen" });
    const attributes: unknown[] = [];
    for (const captureContent of [false, true]) {
      const model = new ScriptedModel([functionCallResponse("look", { at: "it" }), "done"]);
      const agent = new LlmAgent({ name: "helper", model, tools: [look] });
      const world = await createAgentWorld(agent, { captureContent });
      await world.run("go");
      const span = world.spans.find(({ name }) => name === "execute_tool look");
      const [args, response] = ["tool_call_args", "tool_response"].map((name) => `gcp.vertex.agent.${name}`);
      attributes.push([span?.attributes[args ?? ""], span?.attributes[response ?? ""]]);
    }
    expect(attributes).toEqual([
      ["{}", undefined],
      ['{"at":"it"}', '{"result":"seen"}'],
    ]);
  });

  it("is the parent of what the tool asks other servers to do", async () => {
    let sent: string | undefined;
    const look = new FunctionTool({
      name: "look",
      description: "Looks.",
      execute: (_args, context) => {
        sent = context.traceParent;
      },
    });
    const world = await worldWith(look, [functionCallResponse("look"), "done"], {});
    await world.run("go");
    const span = world.spans.find(({ name }) => name === "execute_tool look");
    expect(sent).toBe(`00-${span?.traceId}-${span?.spanId}-01`);
  });

  it("says that a long-running call has no response yet", async () => {
    const job = new LongRunningFunctionTool({ name: "job", description: "Works.", execute: () => undefined });
    const model = new ScriptedModel([functionCallResponse("job")]);
    const agent = new LlmAgent({ name: "helper", model, tools: [job] });
    const world = await createAgentWorld(agent, { captureContent: true });
    await world.run("go");
    const span = world.spans.find(({ name }) => name === "execute_tool job");
    expect(span?.attributes["gcp.vertex.agent.tool_response"]).toBe("null");
  });

  it("has the error of a callback that throws", async () => {
    const look = new FunctionTool({ name: "look", description: "Looks.", execute: () => "seen" });
    const beforeToolCallback = () => {
      throw new Error("callback broke");
    };
    const world = await worldWith(look, [functionCallResponse("look")], { beforeToolCallback });
    await expect(world.run("go")).rejects.toThrow("callback broke");
    const span = world.spans.find(({ name }) => name === "execute_tool look");
    expect(span?.error).toContain("callback broke");
  });
});

describe("the log", () => {
  it("has a line for a tool that failed, and none for a tool that the model made up", async () => {
    const logger = new RecordingLogger();
    const fails = new FunctionTool({ name: "fails", description: "Fails.", execute: () => Promise.reject("no") });
    const parts = ["fails", "invented"].map((name) => ({ functionCall: { name } }));
    const model = new ScriptedModel([{ content: { role: "model", parts } }, "sorry"]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools: [fails] }), { logger });
    await world.run("go");
    expect(logger.lines.map(({ level, message, fields }) => [level, message, fields["tool"]])).toEqual([
      ["warn", "tool failed", "fails"],
    ]);
  });
});

/** A tool with a time limit, and the signals that its calls got. */
function limitedTool(work: () => unknown) {
  const signals: AbortSignal[] = [];
  const tool = new FunctionTool({
    name: "limited",
    description: "Works.",
    timeoutMs: 60_000,
    execute: (_args, { signal }) => {
      signals.push(signal);
      return work();
    },
  });
  return { tool, signals };
}

describe("the signal of a tool with a time limit", () => {
  it("is aborted with the run", async () => {
    const cancel = new AbortController();
    const { tool, signals } = limitedTool(() => {
      cancel.abort();
      return new Promise(() => {});
    });
    const world = await worldWith(tool, [functionCallResponse("limited")]);
    const run = world.runner.runAsync({
      userId: "ada",
      sessionId: "talk",
      newMessage: userContent("go"),
      signal: cancel.signal,
    });
    await expect(Array.fromAsync(run)).rejects.toMatchObject({ details: { reason: "RUN_CANCELLED" } });
    expect(signals.map(({ aborted, reason }) => [aborted, reason])).toEqual([
      [true, expect.objectContaining({ reason: "RUN_CANCELLED" })],
    ]);
  });

  it("is not aborted after the tool has answered, and its timer is cleared", async () => {
    fakeTimers();
    const { tool, signals } = limitedTool(() => "done");
    const world = await worldWith(tool, [functionCallResponse("limited"), "ok"]);
    await world.run("go");
    expect([vi.getTimerCount(), signals.map(({ aborted }) => aborted)]).toEqual([0, [false]]);
  });

  it("ends the stream of a streaming tool that takes longer, while other calls of the answer continue", async () => {
    fakeTimers();
    const started = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    let values = 0;
    const endless = new FunctionTool({
      name: "endless",
      description: "Yields values.",
      timeoutMs: 1000,
      execute: async function* () {
        try {
          started.resolve();
          await gate.promise;
          for (; values < 5; values += 1) yield values;
        } finally {
          closed.resolve();
        }
      },
    });
    const other = new FunctionTool({ name: "other", description: "Waits.", execute: () => closed.promise });
    const parts = ["endless", "other"].map((name) => ({ functionCall: { name } }));
    const model = new ScriptedModel([{ content: { role: "model", parts } }, "sorry"]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools: [endless, other] }));
    const running = world.run("go");
    await started.promise;
    await vi.advanceTimersByTimeAsync(1000);
    gate.resolve();
    const [, ...events] = await running;
    expect(values).toBe(0);
    expect(events.filter(({ partial }) => partial !== true).map(brief)).toEqual([
      expect.stringMatching(/^helper: endless -> .* did not answer within 1000 ms .* \| other -> {"result":null}$/),
      "helper: sorry",
    ]);
  });

  it("does not wait for a stream that gives nothing", async () => {
    fakeTimers();
    const started = Promise.withResolvers<void>();
    const hangs = new FunctionTool({
      name: "hangs",
      description: "Hangs.",
      timeoutMs: 1000,
      execute: async function* () {
        started.resolve();
        await new Promise(() => {});
      },
    });
    const world = await worldWith(hangs, [functionCallResponse("hangs"), "sorry"]);
    const running = world.run("go");
    await started.promise;
    await vi.advanceTimersByTimeAsync(1000);
    expect((await running).map(brief).at(-1)).toBe("helper: sorry");
  });
});
