import { describe, expect, it, vi } from "vitest";
import { createApp } from "#kit/core/app.ts";
import { StaticAgentLoader } from "#kit/definitions/loaders/static-agent-loader.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { userContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { ConcurrencyPolicy } from "#kit/sessions/run-record.ts";
import { ScriptedModel, streamedText } from "#kit/testing/scripted-model.ts";
import { InMemoryRunNotifications, type RunNotification } from "#ports/runs/run-notifications.ts";
import type { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { heldStep } from "#test/helpers/worlds/held-step.ts";
import { briefEntry, createRunnerWorld, KEY } from "#test/helpers/worlds/runner-world.ts";
import { runnerConfigSchema } from "./config.ts";
import type { ObservedEnd } from "./metrics/run-observer.ts";

describe("a run", () => {
  it("publishes partial events, stored events and its end, numbered from 1", async () => {
    const { start, read, texts } = await createRunnerWorld([streamedText("Hel", "lo")]);
    const run = await start("hi", { streaming: true });
    expect(run.status).toBe("running");
    expect((await read(run.runId)).map(briefEntry)).toEqual(["1.1 Hel~", "1.2 lo~", "1.3 Hello #2", "1.4 succeeded"]);
    expect(await texts()).toEqual(["user: hi", "app: Hello"]);
  });

  it("publishes the events of one turn of the event loop in one batch", async () => {
    const published: number[] = [];
    const world = await createRunnerWorld([streamedText(..."abcdefgh")]);
    const publish = world.runStream.publish.bind(world.runStream);
    world.runStream.publish = (runId, entries) => {
      published.push(entries.length);
      return publish(runId, entries);
    };
    const run = await world.start("hi", { streaming: true });
    await world.read(run.runId);
    expect(published.reduce((sum, count) => sum + count, 0)).toBe(10);
    expect(published.length).toBeLessThanOrEqual(3);
  });

  it("yields the event loop when it produces events without waiting", async () => {
    const pieces = Array.from({ length: 1000 }, (_, index) => `${index} `);
    const { start, read } = await createRunnerWorld([streamedText(...pieces)]);
    let turns = 0;
    const count = (): void => {
      turns += 1;
      if (turns < 1000) setImmediate(count);
    };
    const run = await start("hi", { streaming: true });
    setImmediate(count);
    await read(run.runId);
    expect(turns).toBeGreaterThanOrEqual(10);
  });

  it("ends as failed with a stored error event when the model fails", async () => {
    const { start, read, store, texts } = await createRunnerWorld([new TypeError("broken")]);
    const run = await start("hi");
    expect((await read(run.runId)).map(briefEntry)).toEqual(["1.1 INTERNAL #2", "1.2 failed"]);
    expect((await store.get(run.runId))?.status).toBe("failed");
    expect(await texts()).toEqual(["user: hi", "app: INTERNAL"]);
  });

  it("reports its end and its spans to the observer and the sinks", async () => {
    const sunk: number[] = [];
    const ends: ObservedEnd[] = [];
    const { start, read } = await createRunnerWorld(["hello"], {
      observer: { runStarted: () => {}, runEnded: (end) => ends.push(end) },
      spanSinks: [(_, spans) => void sunk.push(spans.length)],
    });
    await read((await start("hi")).runId);
    expect(ends.map(({ appName, record, spans }) => [appName, record?.status, spans.length])).toEqual([
      ["app", "succeeded", sunk[0]],
    ]);
  });

  it("is returned once its begin is durable, and executed meanwhile", async () => {
    const { start, store, texts } = await createRunnerWorld(["hello"]);
    const disk = Promise.withResolvers<void>();
    const begin = store.begin.bind(store);
    vi.spyOn(store, "begin").mockImplementation(async (request) => {
      const result = await begin(request);
      return result.kind === "started" ? { ...result, durable: disk.promise } : result;
    });
    let isReturned = false;
    const started = start("hi").finally(() => {
      isReturned = true;
    });
    await expect.poll(() => texts()).toEqual(["user: hi", "app: hello"]);
    expect(isReturned).toBe(false);
    disk.reject(new PlatformError("STORE_UNAVAILABLE", "The disk failed."));
    await expect(started).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE" });
  });

  it("for an app that does not exist is refused", async () => {
    const { service } = await createRunnerWorld([]);
    const request = { session: { ...KEY, appName: "other" }, request: { newMessage: userContent("hi") } };
    await expect(service.startRun(request)).rejects.toMatchObject({ reason: "APP_NOT_FOUND" });
  });

  it("whose session is deleted while it is active publishes that end", async () => {
    const held = heldStep("late");
    const { start, read, store } = await createRunnerWorld([held.step]);
    const run = await start("hi");
    await held.begun;
    await store.deleteSession(KEY);
    held.release();
    const end = (await read(run.runId)).at(-1);
    expect(end).toMatchObject({ kind: "end", status: "failed", error: { reason: "SESSION_NOT_FOUND" } });
  });
});

describe("limits", () => {
  it("end a run that takes longer than its deadline", async () => {
    const held = heldStep("never");
    const { start, read } = await createRunnerWorld([held.step]);
    const run = await start("hi", { timeoutMs: 1 });
    expect((await read(run.runId)).map(briefEntry)).toEqual(["1.1 RUN_TIMED_OUT #2", "1.2 timed_out"]);
  });

  it("count the time in the queue", async () => {
    verifies("limits:run-duration");
    const held = heldStep("one");
    const { start, read, clock } = await createRunnerWorld([held.step, "two"]);
    await start("a");
    const queued = await start("b", { timeoutMs: 60_000 });
    expect(queued.status).toBe("pending");
    clock.advance(60_000);
    held.release();
    expect((await read(queued.runId)).at(-1)).toMatchObject({ kind: "end", status: "timed_out" });
  });
});

describe("a runner whose slots are taken", () => {
  const withSlots = (count: string) => ({ config: loadConfig(runnerConfigSchema, { MAX_CONCURRENT_RUNS: count }) });

  it("refuses more runs with a retry time, and accepts them when a slot is free", async () => {
    const held = heldStep("one");
    const { start, read, service, store } = await createRunnerWorld([held.step, "two"], withSlots("1"));
    const other = { ...KEY, id: "other" };
    await store.createSession(other);
    const startOther = () => service.startRun({ session: other, request: { newMessage: userContent("b") } });
    const first = await start("a");
    await held.begun;
    await expect(startOther()).rejects.toMatchObject({
      reason: "RUNNER_BUSY",
      details: { limit: "MAX_CONCURRENT_RUNS", retryAfterSeconds: "2" },
    });
    expect((await store.list({ session: other })).runs).toEqual([]);
    held.release();
    await read(first.runId);
    await service.whenIdle();
    expect((await read((await startOther()).runId)).map(briefEntry)).toEqual(["1.1 two #2", "1.2 succeeded"]);
  });

  it("reports its load: queued runs need no slot", async () => {
    const held = heldStep("one");
    const { clock, start, read, service } = await createRunnerWorld([held.step, "two"], withSlots("2"));
    await start("a");
    const second = await start("b");
    await held.begun;
    clock.advance(1500);
    expect(service.load).toEqual({ busySlots: 1, queued: 1, oldestQueuedMs: 1500 });
    held.release();
    await read(second.runId);
    await service.whenIdle();
    expect(service.load).toEqual({ busySlots: 0, queued: 0, oldestQueuedMs: 0 });
  });

  it("releases the slot when a run is refused or does not exist", async () => {
    const { start, service } = await createRunnerWorld(["hello"], withSlots("1"));
    const unknown = { session: { ...KEY, id: "none" }, request: { newMessage: userContent("hi") } };
    await expect(service.startRun(unknown)).rejects.toMatchObject({ reason: "SESSION_NOT_FOUND" });
    await expect(service.startRun({ ...unknown, session: { ...KEY, appName: "none" } })).rejects.toMatchObject({
      reason: "APP_NOT_FOUND",
    });
    expect((await start("hi")).status).toBe("running");
  });
});

describe("the policy of a message for a busy session", () => {
  const REJECTING = { config: loadConfig(runnerConfigSchema, { CONCURRENCY_POLICY: "reject" }) };
  const app = (model: ScriptedModel) =>
    createApp({ name: "app", rootAgent: new LlmAgent({ name: "app", model }), concurrencyPolicy: "interrupt" });

  it.each<[string, { readonly app: boolean; readonly given?: ConcurrencyPolicy }, ConcurrencyPolicy]>([
    ["the request's", { app: true, given: "enqueue" }, "enqueue"],
    ["else the app's", { app: true }, "interrupt"],
    ["else the server's", { app: false }, "reject"],
  ])("is %s", async (_, { app: hasApp, given }, policy) => {
    const model = new ScriptedModel(["hello"]);
    const overrides = hasApp ? { ...REJECTING, agentLoader: new StaticAgentLoader([app(model)]) } : REJECTING;
    const { start } = await createRunnerWorld(["hello"], overrides);
    expect((await start("hi", given === undefined ? {} : { policy: given })).policy).toBe(policy);
  });
});

describe("a run with an id from its caller", () => {
  it("is started once although it is requested again: concurrently, while it is active, and after its end", async () => {
    const { step, begun, release } = heldStep("hello");
    const { service, read, texts, model } = await createRunnerWorld([step]);
    const start = () =>
      service.startRun({ runId: "mine", session: KEY, request: { newMessage: userContent("hi"), streaming: false } });
    const [first, second] = await Promise.all([start(), start()]);
    expect([first, second]).toMatchObject([
      { runId: "mine", status: "running", epoch: 1, attempts: 1 },
      { runId: "mine", status: "running", epoch: 1, attempts: 1 },
    ]);
    await begun;
    expect(await start()).toMatchObject({ runId: "mine", status: "running", epoch: 1, attempts: 1 });
    release();
    await read("mine");
    expect(await start()).toMatchObject({ runId: "mine", status: "succeeded", epoch: 1, attempts: 1 });
    expect(await texts()).toEqual(["user: hi", "app: hello"]);
    expect(model.requests.length).toBe(1);
  });

  it("can be started again when its begin has failed", async () => {
    const { service, store, read } = await createRunnerWorld(["hello"]);
    const down = new PlatformError("STORE_UNAVAILABLE", "down");
    vi.spyOn(store, "begin").mockRejectedValueOnce(down);
    const start = () =>
      service.startRun({ runId: "mine", session: KEY, request: { newMessage: userContent("hi"), streaming: false } });
    await expect(start()).rejects.toBe(down);
    expect(await start()).toMatchObject({ runId: "mine", status: "running" });
    expect((await read("mine")).at(-1)).toMatchObject({ kind: "end", status: "succeeded" });
  });

  it("is not started while its recovery is in progress", async () => {
    const { service, store, clock, read, model } = await createRunnerWorld(["hello", "again"]);
    const request = { newMessage: userContent("hi"), streaming: false };
    const begin = { runId: "mine", session: KEY, invocationId: "mine", request, policy: "enqueue" } as const;
    const { run } = await store.begin({ ...begin, holder: "gone", leaseMs: 1, haveRevision: 0 });
    clock.advance(2);
    const [recovered] = await Promise.all([
      service.recover(run),
      service.startRun({ runId: "mine", session: KEY, request }),
    ]);
    await read("mine");
    await service.whenIdle();
    expect([recovered, model.requests.length, (await store.get("mine"))?.attempts]).toEqual(["recovered", 1, 2]);
  });
});

it("does not recover a run whose first begin is in progress here", async () => {
  const { service, store, read, model } = await createRunnerWorld(["hello", "again"]);
  const held = holdBegin(store);
  const request = { newMessage: userContent("hi"), streaming: false };
  const starting = service.startRun({ runId: "mine", session: KEY, request });
  await held.recorded;
  const run = await store.get("mine");
  if (run === undefined) throw new Error("The run is not recorded.");
  const recovered = await service.recover(run);
  held.answer();
  await starting;
  await read("mine");
  await service.whenIdle();
  expect([recovered, model.requests.length, (await store.get("mine"))?.attempts]).toEqual(["not-available", 1, 1]);
});

it("stores the message of an abandoned queued run when it recovers it, without a further commit", async () => {
  const { service, store, read, texts } = await createRunnerWorld(["hello"]);
  const begin = (runId: string) =>
    store.begin({
      ...{ runId, session: KEY, invocationId: `of ${runId}`, request: { newMessage: userContent(runId) } },
      ...{ policy: "enqueue", holder: "gone", leaseMs: 1000, haveRevision: 0 },
    });
  const ahead = await begin("ahead");
  const { run } = await begin("mine");
  if (ahead.kind !== "started") throw new Error(`The first run is ${ahead.kind}.`);
  await store.finish({ lease: ahead.lease, afterRevision: 0, events: [], status: "succeeded" });
  const append = vi.spyOn(store, "append");
  expect(await service.recover(run)).toBe("recovered");
  await read("mine");
  expect(await texts()).toEqual(["user: mine", "app: hello"]);
  expect(append).not.toHaveBeenCalled();
});

describe("stopping", () => {
  it("ends active runs as interrupted, leaves queued ones for the next process, and accepts no new ones", async () => {
    const held = heldStep("never");
    const { start, read, service, store } = await createRunnerWorld([held.step]);
    const first = await start("a");
    const second = await start("b");
    await held.begun;
    await service.abortRuns();
    expect((await read(first.runId)).map(briefEntry)).toEqual(["1.1 RUN_INTERRUPTED #2", "1.2 interrupted"]);
    expect((await store.get(second.runId))?.status).toBe("pending");
    await expect(start("c")).rejects.toMatchObject({ reason: "SERVER_SHUTTING_DOWN" });
  });

  it("ends a run that is recorded as started while the process stops", async () => {
    const { start, read, service, store } = await createRunnerWorld(["never"]);
    const held = holdBegin(store);
    const starting = start("a");
    await held.recorded;
    await service.abortRuns();
    held.answer();
    const { runId } = await starting;
    expect((await read(runId)).map(briefEntry)).toEqual(["1.1 RUN_INTERRUPTED #2", "1.2 interrupted"]);
  });

  it("ends a queued run that is recorded as started while the process stops", async () => {
    const ahead = heldStep("one");
    const { start, read, service, store } = await createRunnerWorld([ahead.step, "never"]);
    const first = await start("a");
    const second = await start("b");
    await ahead.begun;
    const held = holdBegin(store);
    ahead.release();
    await read(first.runId);
    await held.recorded;
    const stopped = service.abortRuns();
    held.answer();
    await stopped;
    expect((await read(second.runId)).map(briefEntry)).toEqual(["2.1 RUN_INTERRUPTED #4", "2.2 interrupted"]);
  });

  it("leaves a run that is queued while the process drains to another runner, and notifies the others", async () => {
    const held = heldStep("one");
    const runNotifications = new InMemoryRunNotifications();
    const { start, read, service, store, texts } = await createRunnerWorld([held.step, "two"], { runNotifications });
    const sent: RunNotification[] = [];
    using _ = runNotifications.onNotify((notification) => sent.push(notification));
    const first = await start("a");
    await held.begun;
    service.drain();
    const second = await start("b");
    await expect.poll(() => sent).toContainEqual({ kind: "available", runId: second.runId });
    held.release();
    await read(first.runId);
    await service.whenIdle();
    expect([(await store.get(second.runId))?.status, await texts()]).toEqual(["pending", ["user: a", "app: one"]]);
  });
});

/** Holds back the journal's next answer to a begin, after the run is recorded. */
function holdBegin(store: InMemorySessionStore) {
  const recorded = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const begin = store.begin.bind(store);
  vi.spyOn(store, "begin").mockImplementationOnce(async (request) => {
    const result = await begin(request);
    recorded.resolve();
    await held.promise;
    return result;
  });
  return { recorded: recorded.promise, answer: held.resolve };
}
