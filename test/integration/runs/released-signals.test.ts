import { getEventListeners } from "node:events";
import { expect, it, vi } from "vitest";
import { RunMeter } from "#kit/budget/run-meter.ts";
import { UnsafeLocalCodeExecutor } from "#kit/code-executors/unsafe-local-code-executor.ts";
import { LiveRequestQueue } from "#kit/core/context/live-request-queue.ts";
import { userContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { LlmRequest } from "#kit/models/llm-request.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { sleep } from "#kit/platform/sleep.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { RunSlots } from "#services/runner/slots/run-slots.ts";
import { AnswerAccount } from "#shared/answers/answer-account.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { KEY } from "#test/helpers/worlds/runner-world.ts";

const ADA = { appName: "app", userId: "ada" };

/** Work with a signal that lives longer. Callers have signals for many such works, each of which may leave a listener. */
const WORK: Readonly<Record<string, (signal: AbortSignal) => Promise<unknown>>> = {
  "a run": async (signal) => {
    const { runner } = await createAgentWorld(new LlmAgent({ name: "a", model: new ScriptedModel(["hi"]) }));
    const request = { userId: KEY.userId, sessionId: KEY.id, newMessage: userContent("hello"), signal };
    return Array.fromAsync(runner.runAsync(request));
  },
  "a metered call of a model": (signal) => {
    const meter = new RunMeter({ budget: { reserve: async () => ({ settle: () => {} }) }, end: () => {} });
    const request = new LlmRequest({ model: "m", contents: [userContent("hello")] });
    const model = meter.model(new ScriptedModel(["hi"]));
    return Array.fromAsync(model.generateContentAsync(request, { stream: false, signal }));
  },
  "a program": (signal) =>
    new UnsafeLocalCodeExecutor({ allowUnsafeLocalExecution: true, logger: silentLogger }).executeCode(
      { code: "print(1)", inputFiles: [] },
      { jobId: "j", signal, logger: silentLogger },
    ),
  "a wait for a live request": async (signal) => {
    const queue = new LiveRequestQueue();
    const arrival = queue.arrives(signal);
    queue.close();
    return arrival;
  },
  "a wait for time": (signal) => sleep(1, signal),
  "a wait for a run's slot": async (signal) => {
    const slots = new RunSlots({
      MAX_CONCURRENT_RUNS: 1,
      MAX_CONCURRENT_RUNS_PER_APP: 0,
      MAX_CONCURRENT_RUNS_PER_USER: 0,
      MAX_PROCESS_RUNS_PER_USER: 0,
    });
    const leave = await slots.wait(ADA, signal);
    const next = slots.wait(ADA, signal);
    leave?.();
    return next;
  },
  "a wait for an answer's room": async (signal) => {
    const account = new AnswerAccount({ maxBytes: 1, maxBytesOfUser: 1 });
    const room = account.take("ada", 1);
    const next = account.wait("ada", 1, signal);
    room?.[Symbol.dispose]();
    return next;
  },
};

/** The timers that are set and neither run nor cleared, with their time. */
function pendingTimers() {
  const pending = new Map<unknown, number | undefined>();
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  vi.stubGlobal("setTimeout", (run: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => {
    const timer = set(() => {
      pending.delete(timer);
      run(...args);
    }, ms);
    pending.set(timer, ms);
    return timer;
  });
  vi.stubGlobal("clearTimeout", (timer: NodeJS.Timeout | undefined) => {
    pending.delete(timer);
    clear(timer);
  });
  return { pending, [Symbol.dispose]: () => vi.unstubAllGlobals() };
}

it.each(Object.entries(WORK))("%s leaves no listener at its caller's signal, and no timer", async (_title, work) => {
  const { signal } = new AbortController();
  using timers = pendingTimers();
  await work(signal);
  expect(getEventListeners(signal, "abort")).toEqual([]);
  expect([...timers.pending.values()]).toEqual([]);
});

it("each round of tool calls of a run leaves no listener", async () => {
  const counts: number[] = [];
  const tool = new FunctionTool({
    name: "count",
    description: "Counts.",
    execute: (_args, { signal }) => void counts.push(getEventListeners(signal, "abort").length),
  });
  const steps = Array.from({ length: 5 }, (_, index) => functionCallResponse("count", {}, `call-${index}`));
  const model = new ScriptedModel([...steps, "done"]);
  const { run } = await createAgentWorld(new LlmAgent({ name: "a", model, tools: [tool] }));
  await run("go");
  expect(counts).toEqual(counts.map(() => counts[0]));
  expect(counts).toHaveLength(5);
});
