import { describe, expect, it, vi } from "vitest";
import type { ArtifactService } from "#kit/artifacts/artifact-service.ts";
import { createApp } from "#kit/core/app.ts";
import { StreamingMode } from "#kit/core/context/run-config.ts";
import type { Plugin } from "#kit/core/plugin.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { userContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { BeginRequest, RunnerOptions } from "#kit/runs/base/runner-options.ts";
import { Runner } from "#kit/runs/runner.ts";
import type { RunRequest } from "#kit/sessions/run-record.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import { InMemoryMemoryService } from "#ports/memory/in-memory-memory-service.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";

it("keeps what is known of a session when a begin is refused", async () => {
  const clock = new FixedClock();
  const ids = new SequentialIds();
  const store = new InMemorySessionStore({ clock, ids });
  const session = await store.createSession({ appName: "app", userId: "ada", id: "talk" });
  const rootAgent = new LlmAgent({ name: "desk", model: new ScriptedModel(["one", "two"]) });
  const app = createApp({ name: "app", rootAgent });
  const runner = new Runner({ app, sessionService: store, journal: store, clock, ids });
  const say = (text: string) =>
    Array.fromAsync(runner.runAsync({ userId: "ada", sessionId: session.id, newMessage: userContent(text) }));
  await say("a");
  const begin = vi.spyOn(store, "begin");
  begin.mockRejectedValueOnce(new PlatformError("QUEUE_FULL", "Too many wait."));
  await expect(say("b")).rejects.toMatchObject({ reason: "QUEUE_FULL" });
  await say("c");
  expect(begin.mock.calls.map(([{ haveRevision }]) => haveRevision)).toEqual([2, 2]);
});

describe("a begin", () => {
  const session = { appName: "app", userId: "ada", id: "talk" };

  async function startWorld(options: Partial<RunnerOptions> = {}) {
    const clock = new FixedClock();
    const ids = new SequentialIds();
    const store = new InMemorySessionStore({ clock, ids });
    await store.createSession(session);
    const rootAgent = new LlmAgent({ name: "desk", model: new ScriptedModel([]) });
    const app = createApp({ name: "app", rootAgent });
    const services = { app, sessionService: store, journal: store, clock, ids, holder: "me" };
    const runner = new Runner({ ...services, ...options });
    const asked = vi.spyOn(store, "begin");
    const begin = async (overrides: Partial<BeginRequest> = {}) => {
      const outcome = await runner.beginRun({ session, request: { newMessage: userContent("hi") }, ...overrides });
      if (outcome.kind !== "started") throw new Error(`The run is ${outcome.kind}.`);
      return { run: outcome.run, request: asked.mock.lastCall?.[0] };
    };
    return { clock, store, begin };
  }

  it("asks the journal for no more than was given", async () => {
    const { begin } = await startWorld();
    const { run, request } = await begin({ runId: "run", request: {} });
    expect(request).toEqual({
      runId: "run",
      session,
      invocationId: expect.stringMatching(/^e-/),
      request: {},
      policy: "enqueue",
      holder: "me",
      leaseMs: 10_000,
      haveRevision: 0,
      fromHistoryStart: true,
      returnOnCommit: true,
    });
    const { artifactService, memoryService } = run.services;
    expect([run.onLease, artifactService, memoryService]).toEqual([undefined, undefined, undefined]);
    expect([run.runConfig.streamingMode, run.runConfig.customMetadata]).toEqual([StreamingMode.NONE, undefined]);
  });

  it("passes on what was given", async () => {
    const onLease = (): void => {};
    const memoryService = new InMemoryMemoryService({ clock: new FixedClock(), ids: new SequentialIds() });
    const { begin } = await startWorld({ abandonAfterMs: 7, onLease, memoryService, captureContent: true });
    const given = { invocationId: "i", idempotencyKey: "once", deadline: 9, maxQueued: 3, policy: "reject" } as const;
    const customMetadata = { by: "test" };
    const { run, request } = await begin({
      ...given,
      request: { newMessage: userContent("hi"), streaming: true, customMetadata },
    });
    expect(request).toMatchObject({ ...given, abandonAfterMs: 7 });
    expect([run.onLease, run.services.memoryService, run.services.captureContent]).toEqual([
      onLease,
      memoryService,
      true,
    ]);
    expect(run.runConfig).toMatchObject({ streamingMode: StreamingMode.SSE, customMetadata });
  });

  it.each([
    [true, undefined, true],
    [true, false, false],
    [false, true, false],
  ])("captures content if the runner does (%s) and the run does not refuse (%s): %s", async (runner, run, captures) => {
    const runConfig = run === undefined ? {} : { captureContent: run };
    const { begin } = await startWorld({ captureContent: runner, runConfig });
    expect((await begin()).run.services.captureContent).toBe(captures);
  });

  it("aborts a run that was cancelled while no runner had it", async () => {
    const { begin, clock, store } = await startWorld();
    expect((await begin({ runId: "run" })).run.abort.signal.aborted).toBe(false);
    await store.cancel("run");
    clock.advance(20_000);
    const { run } = await begin({ runId: "run" });
    expect([run.record.attempts, run.abort.signal.reason]).toEqual([
      2,
      expect.objectContaining({ reason: "RUN_CANCELLED" }),
    ]);
  });
});

describe("a run's first event", () => {
  /** What the journal is asked for, and what a run does with it. */
  async function startWorld(options: { plugins?: readonly Plugin[]; artifactService?: ArtifactService } = {}) {
    const store = new InMemorySessionStore({ clock: new FixedClock(), ids: new SequentialIds() });
    const { plugins = [], ...services } = options;
    const session = await store.createSession({ appName: "app", userId: "ada", id: "talk" });
    const rootAgent = new LlmAgent({ name: "desk", model: new ScriptedModel(["yes"], { repeatLast: true }) });
    const app = createApp({ name: "app", rootAgent, plugins });
    const runner = new Runner({ app, sessionService: store, journal: store, ...services });
    const begin = vi.spyOn(store, "begin");
    const append = vi.spyOn(store, "append");
    /** Whether the begin has brought it, and what was appended. */
    const run = async (request: RunRequest, overrides: Partial<BeginRequest> = {}) => {
      const outcome = await runner.beginRun({ session, request, ...overrides });
      if (outcome.kind !== "started") throw new Error(`The run is ${outcome.kind}.`);
      await Array.fromAsync(runner.executeRun(outcome.run));
      const events = (await store.listEventRecords(session)).events.map(
        ({ author, sequence }) => `${sequence} ${author}`,
      );
      return { opening: begin.mock.lastCall?.[0].opening, appends: append.mock.calls.length, events };
    };
    return { run, store, session };
  }
  const inBoth = { events: ["1 user", "2 desk"] };

  it("is stored with the begin", async () => {
    const { run, store, session } = await startWorld();
    const customMetadata = { by: "test" };
    const { opening, ...rest } = await run({
      newMessage: { parts: [{ text: "hi" }] },
      stateDelta: { a: 1 },
      customMetadata,
    });
    expect(rest).toEqual({ ...inBoth, appends: 0 });
    expect(JSON.parse(opening?.json ?? "")).toMatchObject({
      author: "user",
      content: { role: "user", parts: [{ text: "hi" }] },
      actions: { stateDelta: { a: 1 } },
      customMetadata,
    });
    expect((await store.getSession(session))?.state).toEqual({ a: 1 });
  });

  it("is stored with the begin when it says nothing but state", async () => {
    const { run } = await startWorld();
    const { opening, ...rest } = await run({ stateDelta: { a: 1 } });
    expect([opening?.stateDelta, rest]).toEqual([{ a: 1 }, { ...inBoth, appends: 0 }]);
  });

  it("is appended by the run when a plugin may change the message", async () => {
    const plugin = { name: "polite", onUserMessageCallback: () => userContent("please") };
    const { run, store, session } = await startWorld({ plugins: [plugin] });
    expect(await run({ newMessage: userContent("hi") })).toEqual({ ...inBoth, opening: undefined, appends: 1 });
    expect((await store.getSession(session))?.events[0]?.content).toEqual(userContent("please"));
  });

  it("is appended by the run when its data moves out of it", async () => {
    const { run } = await startWorld({ artifactService: new InMemoryArtifactService({ clock: new FixedClock() }) });
    const data = Buffer.alloc(300 * 1024).toString("base64");
    const newMessage = { role: "user", parts: [{ inlineData: { mimeType: "image/png", data } }] } as const;
    expect(await run({ newMessage })).toEqual({ ...inBoth, opening: undefined, appends: 1 });
  });

  it("is appended by the run when it may belong to the branch of an earlier turn", async () => {
    const { run } = await startWorld();
    const goesOn = await run({ newMessage: userContent("hi"), invocationId: "earlier" });
    expect(goesOn).toEqual({ ...inBoth, opening: undefined, appends: 1 });
  });

  it("is appended by the run when a rollback comes before it", async () => {
    const { run } = await startWorld();
    const outcome = await run({ newMessage: userContent("hi") }, { policy: "rollback" });
    expect([outcome.opening, outcome.events.at(-1)]).toEqual([undefined, "2 desk"]);
  });
});
