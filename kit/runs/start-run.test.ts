import { describe, expect, it, vi } from "vitest";
import { StreamingMode } from "#kit/core/context/run-config.ts";
import { userContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { heldStep } from "#test/helpers/worlds/held-step.ts";

const CALLER = { userId: "ada", sessionId: "talk" };

describe("a run that a caller reads", () => {
  it("is recorded with what the caller gave", async () => {
    const model = new ScriptedModel(["yes"], { repeatLast: true });
    const { runner, store } = await createAgentWorld(new LlmAgent({ name: "helper", model }));
    const begin = vi.spyOn(store, "begin");
    await Array.fromAsync(runner.runAsync(CALLER));
    const runConfig = { streamingMode: StreamingMode.SSE };
    const newMessage = userContent("a");
    await Array.fromAsync(runner.runAsync({ ...CALLER, newMessage, stateDelta: { a: 1 }, runConfig }));
    expect(begin.mock.calls.map(([{ request }]) => request)).toEqual([
      { streaming: false, autoCreateSession: false },
      { newMessage, stateDelta: { a: 1 }, streaming: true, autoCreateSession: false },
    ]);
  });

  it("is cancelled when its caller has left before it began, and when the caller stops reading", async () => {
    const model = new ScriptedModel(["one", "two"]);
    const { runner, store } = await createAgentWorld(new LlmAgent({ name: "helper", model }));
    const newMessage = userContent("a");
    const left = runner.runAsync({ ...CALLER, newMessage, signal: AbortSignal.abort() });
    await expect(Array.fromAsync(left)).rejects.toMatchObject({ details: { reason: "RUN_CANCELLED" } });
    expect(model.callCount).toBe(0);
    const runConfig = { streamingMode: StreamingMode.SSE };
    for await (const _ of runner.runAsync({ ...CALLER, newMessage, runConfig })) break;
    const { runs } = await store.list({});
    expect(runs.every(({ finishedTime }) => finishedTime !== undefined)).toBe(true);
  });

  it("is refused when it was ended while it waited for its turn", async () => {
    const held = heldStep("one");
    const model = new ScriptedModel([held.step]);
    const { runner, store } = await createAgentWorld(new LlmAgent({ name: "helper", model }));
    const say = (text: string) => Array.fromAsync(runner.runAsync({ ...CALLER, newMessage: userContent(text) }));
    const first = say("a");
    await held.begun;
    const second = say("b");
    const refused = expect(second).rejects.toMatchObject({ reason: "RUN_ALREADY_FINISHED" });
    const pendingRuns = async () => (await store.list({ statuses: ["pending"] })).runs;
    await expect.poll(pendingRuns).toHaveLength(1);
    const [pending] = await pendingRuns();
    await store.cancel(pending?.runId ?? "");
    held.release();
    await Promise.all([first, refused]);
  });
});

describe("a runner that is closed", () => {
  it("throws what its agents or its plugins threw, after all were closed", async () => {
    const closed: string[] = [];
    const plugin = {
      name: "backend",
      close: () => {
        closed.push("plugin");
        throw new Error("plugin");
      },
    };
    const rootAgent = new LlmAgent({ name: "helper" });
    const { runner } = await createAgentWorld(rootAgent, { plugins: [plugin] });
    await expect(runner.close()).rejects.toThrow(`Plugin "backend" failed in close`);
    rootAgent.close = () => Promise.reject(new Error("agents"));
    await expect(runner.close()).rejects.toThrow("agents");
    expect(closed).toEqual(["plugin", "plugin"]);
  });
});
