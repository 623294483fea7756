import { expect, it, onTestFinished, vi } from "vitest";
import { BaseAgent } from "#kit/core/base-agent.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { modelContent } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { functionCallResponse, ScriptedModel, streamedText } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";

const KEY = { appName: "app", userId: "ada", id: "talk" };
const MESSAGE = { parts: [{ text: "hi" }] };

/** A store whose begins are durable when the test resolves them. */
async function createWorld(agent: BaseAgent, streaming = true) {
  const world = await createAgentWorld(agent);
  const { store, runner } = world;
  const disk = Promise.withResolvers<void>();
  disk.promise.catch(() => {});
  const storedBegin = store.begin.bind(store);
  const begin = vi.spyOn(store, "begin").mockImplementation(async (request) => {
    const result = await storedBegin(request);
    if (request.returnOnCommit !== true || result.kind !== "started") return result;
    return { ...result, durable: disk.promise };
  });
  onTestFinished(() => begin.mockRestore());
  const outcome = await runner.beginRun({ session: KEY, request: { newMessage: MESSAGE, streaming } });
  if (outcome.kind !== "started") throw new Error(`The run is ${outcome.kind}.`);
  const emitted: string[] = [];
  const execute = async () => {
    const execution = runner.executeRun(outcome.run);
    let step = await execution.next();
    for (; step.done !== true; step = await execution.next())
      emitted.push(...step.value.map(({ event }) => brief(event)));
    return step.value;
  };
  return { ...world, disk, run: outcome.run, emitted, ended: execute() };
}

/** Long enough for everything that does not wait for the disk. */
async function severalTurns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

it("calls the model before the begin is durable, and emits nothing", async () => {
  verifies("what-the-service-does:model-before-sync");
  const model = new ScriptedModel([streamedText("a", "b")]);
  const { disk, emitted, ended } = await createWorld(new LlmAgent({ name: "desk", model }));
  await severalTurns();
  expect([model.requests.length, emitted]).toEqual([1, []]);
  disk.resolve();
  expect([(await ended)?.status, emitted]).toEqual(["succeeded", ["desk~: a", "desk~: b", "desk: ab"]]);
});

it("starts no agent of another kind before the begin is durable", async () => {
  let starts = 0;
  class Acting extends BaseAgent {
    protected override async *runAsyncImpl(context: InvocationContext): AsyncGenerator<Event> {
      starts += 1;
      yield context.createEvent({ content: modelContent("done") });
    }
  }
  const { disk, emitted, ended } = await createWorld(new Acting({ name: "acting" }));
  await severalTurns();
  expect([starts, emitted]).toEqual([0, []]);
  disk.resolve();
  await ended;
  expect([starts, emitted]).toEqual([1, ["acting: done"]]);
});

it("executes no call of an earlier attempt before the begin of this one is durable", async () => {
  let calls = 0;
  const tool = new FunctionTool({
    name: "act",
    description: "Acts.",
    idempotent: true,
    execute: async () => {
      calls += 1;
      return { done: true };
    },
  });
  const model = new ScriptedModel([functionCallResponse("act", {}), "ok"]);
  const { run, runner, store, disk, ended } = await createWorld(
    new LlmAgent({ name: "desk", model, tools: [tool] }),
    false,
  );
  // Handed over after the call was stored and before it was executed: by the append of the first attempt.
  const append = store.append.bind(store);
  vi.spyOn(store, "append").mockImplementationOnce(async (request) => {
    const result = await append(request);
    run.abort.abort(new PlatformError("RUN_HANDED_OVER", "The server stops."));
    return result;
  });
  expect([(await ended)?.status, calls]).toEqual(["pending", 0]);

  const { request, runId } = run.record;
  const again = await runner.beginRun({ session: KEY, request, runId });
  if (again.kind !== "started") throw new Error(`The run is ${again.kind}.`);
  const second = Array.fromAsync(runner.executeRun(again.run));
  await severalTurns();
  expect(calls).toBe(0);
  disk.resolve();
  await second;
  expect([calls, (await store.get(runId))?.status]).toEqual([1, "succeeded"]);
});

it("ends without an event when the disk fails, and is left to another attempt", async () => {
  const model = new ScriptedModel([streamedText("a", "b")]);
  const { disk, emitted, ended, run } = await createWorld(new LlmAgent({ name: "desk", model }));
  disk.reject(new PlatformError("STORE_UNAVAILABLE", "The disk failed."));
  expect([await ended, emitted, run.abort.signal.aborted]).toEqual([undefined, [], true]);
  await expect(run.durable).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE" });
});
