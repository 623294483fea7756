import { describe, expect, it, vi } from "vitest";
import { SequentialAgent } from "#kit/agents/sequential-agent.ts";
import type { RunOutcome } from "#kit/core/context/run-outcome.ts";
import type { Plugin } from "#kit/core/plugin.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { modelContent, userContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { functionCallResponse, ScriptedModel, type ScriptedStep } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { AGENT_HOOKS } from "#test/helpers/worlds/agent-hooks.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";

const KEY = { appName: "app", userId: "ada", id: "talk" };
const tool = (execute: FunctionTool["runAsync"]) => new FunctionTool({ name: "act", description: "Acts.", execute });
const act = tool(async () => ({ done: true }));

function helper(steps: readonly ScriptedStep[], tools = [act]) {
  const model = new ScriptedModel(steps);
  return { model, agent: new LlmAgent({ name: "helper", model, tools }) };
}

describe("a run's message", () => {
  it("is seen by plugins together with the state that came with it, before anything is stored", async () => {
    const seen: unknown[] = [];
    const plugin: Plugin = {
      name: "reads",
      onUserMessageCallback: async (context, message) => {
        // A copy: the state of the session changes with the event.
        seen.push(message.parts?.[0]?.text, { ...context.session.state }, (await world.session()).events.length);
        return userContent("changed");
      },
    };
    const { agent, model } = helper(["ok"]);
    const world = await createAgentWorld(agent, { plugins: [plugin] });
    await world.run("given", {}, { tone: "calm" });
    expect(seen).toEqual(["given", { tone: "calm" }, 0]);
    expect(model.requests[0]?.contents).toEqual([userContent("changed")]);
    expect((await world.session()).events.map(brief)).toEqual(["user: changed", "helper: ok"]);
  });

  it("is not stored when a plugin refuses it, nor is the state that came with it", async () => {
    const plugin: Plugin = {
      name: "guard",
      onUserMessageCallback: (_context, message) => {
        if (message.parts?.[0]?.text === "bad") throw new Error("not that");
      },
    };
    const world = await createAgentWorld(helper(["ok"]).agent, { plugins: [plugin] });
    await expect(world.run("bad", {}, { tone: "rude" })).rejects.toThrow("not that");
    expect((await world.run("good")).map(brief)).toEqual(["helper: ok"]);
    const session = await world.session();
    expect(session.events.map(brief)).toEqual([
      'helper: ! CALLBACK_FAILED: Plugin "guard" failed in onUserMessageCallback: not that',
      "user: good",
      "helper: ok",
    ]);
    expect(session.state).toEqual({});
  });

  it("keeps its files as artifacts when the run says so, and the caller's object as it was", async () => {
    verifies("configuration:run-config:other-fields");
    const file = { inlineData: { mimeType: "text/plain", data: "aGk=" } };
    const message = { role: "user", parts: [{ text: "see" }, file] };
    const given = structuredClone(message);
    const { agent, model } = helper(["seen"]);
    const world = await createAgentWorld(agent);
    const [answer] = await world.run(message, { saveInputBlobsAsArtifacts: true });
    const filename = `artifact_${answer?.invocationId}_1`;
    expect(message).toEqual(given);
    expect(model.requests[0]?.contents[0]?.parts).toEqual([
      { text: "see" },
      { text: `[The user sent a file; it is the artifact "${filename}".]` },
    ]);
    expect((await world.session()).events[0]?.actions.artifactDelta).toEqual({ [filename]: 0 });
    expect(await world.artifacts.loadArtifact({ session: KEY, filename })).toEqual(file);
  });

  it("is preceded in this run's prompts by the caller's context", async () => {
    const { agent, model } = helper(["one", "two"]);
    const world = await createAgentWorld(agent);
    await world.run("a", { modelInputContext: [userContent("It is noon.")] });
    await world.run("b");
    expect(model.requests.map(({ contents }) => contents)).toEqual([
      [userContent("It is noon."), userContent("a")],
      [userContent("a"), modelContent("one"), userContent("b")],
    ]);
  });
});

describe("the end of a run", () => {
  it("is reported to afterRunCallback with its outcome, for each way to end", async () => {
    const outcomes: RunOutcome[] = [];
    const plugin: Plugin = {
      name: "watch",
      beforeRunCallback: ({ userContent: message }) =>
        message?.parts?.[0]?.text === "early" ? modelContent("enough") : undefined,
      afterRunCallback: (_context, outcome) => {
        outcomes.push(outcome);
      },
    };
    const world = await createAgentWorld(helper(["well", new Error("no model")]).agent, { plugins: [plugin] });
    await world.run("a");
    await expect(world.run("b")).rejects.toThrow("no model");
    await world.run("early");
    expect(outcomes).toEqual([
      { status: "succeeded" },
      { status: "failed", error: { code: "INTERNAL", reason: "INTERNAL", message: "Error: no model" } },
      { status: "succeeded" },
    ]);
    expect((await world.session()).events.at(-1)?.content).toEqual(modelContent("enough"));
  });

  it("is not reported to afterRunCallback for a run that is handed over, which has not ended", async () => {
    const outcomes: RunOutcome[] = [];
    const plugin: Plugin = { name: "watch", afterRunCallback: (_context, outcome) => void outcomes.push(outcome) };
    const { agent, model } = helper([[new Promise<never>(() => {})], "well"]);
    const world = await createAgentWorld(agent, { plugins: [plugin] });
    const begin = { session: KEY, runId: "run", request: { newMessage: userContent("a") } };
    const first = await world.runner.beginRun(begin);
    if (first.kind !== "started") throw new Error("the run did not start");
    const execution = Array.fromAsync(world.runner.executeRun(first.run));
    while (model.callCount < 1) await Promise.resolve();
    first.run.abort.abort(new PlatformError("RUN_HANDED_OVER", "The runner stops."));
    await execution;
    expect([(await world.store.get("run"))?.status, outcomes]).toEqual(["pending", []]);
    const second = await world.runner.beginRun(begin);
    if (second.kind !== "started") throw new Error("the run did not start again");
    await Array.fromAsync(world.runner.executeRun(second.run));
    expect([(await world.store.get("run"))?.status, outcomes]).toEqual(["succeeded", [{ status: "succeeded" }]]);
  });

  it("is a stored failure when the store refuses the answer for its size: no other runner asks the model again", async () => {
    const { agent } = helper(["long", "short"]);
    const world = await createAgentWorld(agent);
    const tooLarge = new PlatformError("MESSAGE_TOO_LARGE", "A message is over 4 MiB.");
    vi.spyOn(world.store, "finish").mockRejectedValueOnce(tooLarge);
    await world.run("a").catch(() => undefined);
    await world.run("b");
    expect((await world.session()).events.map(brief)).toEqual([
      "user: a",
      "helper: ! MESSAGE_TOO_LARGE: A message is over 4 MiB.",
      "user: b",
      "helper: short",
    ]);
    const { runs } = await world.store.list({});
    expect(runs.map(({ status, error }) => [status, error?.reason])).toEqual([
      ["succeeded", undefined],
      ["failed", "MESSAGE_TOO_LARGE"],
    ]);
  });

  const hooks = [
    "onUserMessageCallback",
    "beforeRunCallback",
    "beforeAgentCallback",
    "beforeModelCallback",
    "afterModelCallback",
    "beforeToolCallback",
    "afterToolCallback",
    "onEventCallback",
    "afterAgentCallback",
  ] as const;

  it.each(hooks)(
    "is a stored error that names the plugin when one throws in %s, and the next turn works",
    async (hook) => {
      let throws = true;
      const plugin: Plugin = {
        name: "faulty",
        [hook]: () => {
          if (throws) throw new TypeError("x is undefined");
        },
      };
      const { agent } = helper([functionCallResponse("act"), "done", "done"]);
      const world = await createAgentWorld(agent, { plugins: [plugin] });
      await expect(world.run("go")).rejects.toMatchObject({ details: { reason: "CALLBACK_FAILED" } });
      expect((await world.session()).events.at(-1)?.errorMessage).toBe(
        `Plugin "faulty" failed in ${hook}: x is undefined`,
      );
      throws = false;
      await world.run("again");
      expect((await world.store.list({})).runs.map(({ status }) => status)).toEqual(["succeeded", "failed"]);
    },
  );

  it.each(AGENT_HOOKS)(
    "is a stored error that names the agent when its %s throws, and every call has its response",
    async (callback) => {
      let throws = true;
      const fail = () => {
        if (throws) throw new TypeError("x is undefined");
      };
      const steps =
        callback === "onModelErrorCallback" ? [new Error("model")] : [functionCallResponse("act", {}, "c"), "ok"];
      const model = new ScriptedModel([...steps, "next"]);
      const broken = tool(() => Promise.reject(new Error("tool")));
      const tools = [callback === "onToolErrorCallback" ? broken : act];
      const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools, [callback]: fail }));
      await expect(world.run("go")).rejects.toMatchObject({ details: { reason: "CALLBACK_FAILED" } });
      expect((await world.session()).events.at(-1)?.errorMessage).toBe(
        `Agent "helper" failed in ${callback}: x is undefined`,
      );
      throws = false;
      await world.run("again");
      expect((await world.store.list({})).runs[0]?.status).toBe("succeeded");
      const parts = model.requests.at(-1)?.contents.flatMap((content) => content.parts ?? []) ?? [];
      const ids = (key: "functionCall" | "functionResponse") => parts.flatMap((part) => part[key]?.id ?? []);
      expect(ids("functionResponse")).toEqual(ids("functionCall"));
    },
  );

  it("shares what plugins keep for one another with all hooks of the run, and with no other run", async () => {
    const seen: unknown[] = [];
    const plugin: Plugin = {
      name: "timer",
      onUserMessageCallback: ({ callbackContextData }) => {
        seen.push(callbackContextData.size);
        callbackContextData.set("timer:start", 7);
      },
      afterAgentCallback: (_agent, { invocationContext }) => {
        seen.push(invocationContext.callbackContextData.get("timer:start"));
      },
      afterRunCallback: ({ callbackContextData }) => {
        seen.push(callbackContextData.get("timer:start"));
      },
    };
    const world = await createAgentWorld(helper(["one", "two"]).agent, { plugins: [plugin] });
    await world.run("a");
    await world.run("b");
    expect(seen).toEqual([0, 7, 7, 0, 7, 7]);
  });

  it("survives a plugin that throws in every hook, also in those of the end", async () => {
    const fail = () => {
      throw new Error("always");
    };
    const plugin: Plugin = { name: "broken", close: fail, onRunErrorCallback: fail, afterRunCallback: fail };
    for (const hook of hooks) Object.assign(plugin, { [hook]: fail });
    const logger = new RecordingLogger();
    const world = await createAgentWorld(helper([]).agent, { plugins: [plugin], logger });
    await expect(world.run("go")).rejects.toThrow('Plugin "broken" failed in onUserMessageCallback');
    expect((await world.session()).events.map(({ errorCode }) => errorCode)).toEqual(["CALLBACK_FAILED"]);
    expect(logger.lines.map(({ message }) => message)).toEqual([
      "onRunErrorCallback failed",
      "run failed",
      "afterRunCallback failed",
    ]);
    await expect(world.runner.close()).rejects.toThrow('Plugin "broken" failed in close.');
  });

  it.each([
    ["a value that JSON cannot hold", { count: 10n }],
    ["a circle", circular()],
  ])("is a stored error when a callback writes %s to the state, and the next turn works", async (_case, value) => {
    let writes = true;
    const model = new ScriptedModel(["one", "two"]);
    const agent = new LlmAgent({
      name: "helper",
      model,
      beforeAgentCallback: (context) => {
        // What a program in plain JavaScript can do.
        if (writes) context.state.set("broken", value as unknown as JsonObject);
      },
    });
    const world = await createAgentWorld(agent);
    await expect(world.run("a")).rejects.toMatchObject({ reason: "RUN_FAILED" });
    writes = false;
    expect((await world.run("b")).map(brief)).toEqual([expect.stringMatching(/^helper: (one|two)$/)]);
    const session = await world.session();
    expect(session.events.map(({ errorCode }) => errorCode).filter(Boolean)).toEqual(["INTERNAL"]);
    expect(session.state).toEqual({});
  });

  it("keeps state keys of odd names as data", async () => {
    const agent = new LlmAgent({
      name: "helper",
      model: new ScriptedModel(["one"]),
      beforeAgentCallback: (context) => {
        context.state.set("__proto__", { polluted: true });
        context.state.set("", 1);
      },
    });
    const world = await createAgentWorld(agent);
    await world.run("a");
    const { state } = await world.session();
    expect(Object.keys(state).sort()).toEqual(["", "__proto__"]);
    expect(Object.getPrototypeOf(state)).toBe(Object.prototype);
  });
});

describe("the budget of a run", () => {
  const answer = (totalTokenCount: number) => ({ ...functionCallResponse("act"), usageMetadata: { totalTokenCount } });

  it("ends it with a stored event of its own reason when its tokens are used up, over all agents", async () => {
    const model = new ScriptedModel([
      answer(60),
      { content: modelContent("a"), usageMetadata: { totalTokenCount: 50 } },
      "b",
    ]);
    const world = await createAgentWorld(
      new SequentialAgent({
        name: "steps",
        subAgents: [new LlmAgent({ name: "first", model, tools: [act] }), new LlmAgent({ name: "second", model })],
      }),
    );
    await expect(world.run("go", { maxTotalTokens: 100 })).rejects.toMatchObject({
      reason: "TOKEN_BUDGET_EXCEEDED",
    });
    expect((await world.session()).events.at(-1)).toMatchObject({
      errorCode: "TOKEN_BUDGET_EXCEEDED",
      errorMessage: "The budget of 100 tokens for one invocation is used up: 110 (RunConfig.maxTotalTokens).",
    });
    expect(model.callCount).toBe(2);
  });

  it("counts parts of the tokens where the model gives no total", async () => {
    const usageMetadata = { promptTokenCount: 3, candidatesTokenCount: 2, thoughtsTokenCount: 1 };
    const { agent } = helper([{ ...functionCallResponse("act"), usageMetadata }, "never"]);
    const world = await createAgentWorld(agent);
    await expect(world.run("go", { maxTotalTokens: 6 })).rejects.toMatchObject({
      reason: "TOKEN_BUDGET_EXCEEDED",
    });
  });

  it("ends it as timed out when it takes too long, also inside a call that hangs", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const { agent, model } = helper([[new Promise<never>(() => {})], "next"]);
      const world = await createAgentWorld(agent);
      const run = expect(world.run("go", { maxDurationMs: 60_000 })).rejects.toMatchObject({
        details: { reason: "RUN_TIMED_OUT" },
      });
      while (model.callCount < 1) await Promise.resolve();
      vi.advanceTimersByTime(60_000);
      await run;
      expect((await world.store.list({})).runs.map(({ status }) => status)).toEqual(["timed_out"]);
      expect((await world.session()).events.at(-1)?.errorMessage).toBe(
        "The run took longer than 60000 ms (RunConfig.maxDurationMs).",
      );
      expect((await world.run("again", { maxDurationMs: 60_000 })).map(brief)).toEqual(["helper: next"]);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([
    [{ maxLlmCalls: Number.NaN }, "maxLlmCalls"],
    [{ maxLlmCalls: 1.5 }, "maxLlmCalls"],
    [{ maxTotalTokens: 0 }, "maxTotalTokens"],
    [{ maxDurationMs: -1 }, "maxDurationMs"],
  ])("is refused when it is %j", async (runConfig, field) => {
    const world = await createAgentWorld(helper([]).agent);
    await expect(world.run("go", runConfig)).rejects.toMatchObject({ reason: "INVALID_FIELD", details: { field } });
    expect((await world.session()).events).toEqual([]);
  });
});

function circular(): unknown {
  const value: Record<string, unknown> = {};
  value["self"] = value;
  return value;
}
