import { describe, expect, it, vi } from "vitest";
import { ParallelAgent } from "#kit/agents/parallel-agent.ts";
import { SequentialAgent } from "#kit/agents/sequential-agent.ts";
import { createApp } from "#kit/core/app.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { modelContent, userContent } from "#kit/events/content.ts";
import { createEvent, type Event } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { Runner } from "#kit/runs/runner.ts";
import { NO_HISTORY_START } from "#kit/sessions/history-start.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { functionCallResponse } from "#kit/testing/index.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { AgentTool } from "#kit/tools/agent-tool.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { brief } from "#test/helpers/worlds/agent-world.ts";
import { EventWriter } from "./event-writer.ts";
import { type CachedSession, updateCached } from "./session-cache.ts";

const KEY = { appName: "app", userId: "ada", id: "talk" };

it("writes nothing after a gap: a write that failed ends the run, also if the failure was caught", async () => {
  const clock = new FixedClock();
  const ids = new SequentialIds();
  const store = new InMemorySessionStore({ clock, ids });
  let failures = 1;
  const journal: RunJournal = {
    begin: (request) => store.begin(request),
    append: async (request) => {
      const isLost = request.events.some(({ json }) => json.includes("Lost words")) && failures > 0;
      if (!isLost) return store.append(request);
      failures -= 1;
      throw new Error("disk full");
    },
    finish: (request) => store.finish(request),
    renew: (lease, leaseMs) => store.renew(lease, leaseMs),
    release: (lease) => store.release(lease),
    cancel: (runId) => store.cancel(runId),
    get: (runId) => store.get(runId),
    list: (request) => store.list(request),
    getHeads: (sessions) => store.getHeads(sessions),
    listAbandoned: (request) => store.listAbandoned(request),
  };
  const speaker = (name: string, text: string): LlmAgent => new LlmAgent({ name, model: new ScriptedModel([text]) });
  // The first agent's event is stored before the second one's model is called: inside the tool, whose failures are
  // reported to the model.
  const agent = new SequentialAgent({
    name: "pair",
    subAgents: [speaker("first", "Lost words."), speaker("second", "So.")],
  });
  const model = new ScriptedModel([functionCallResponse("pair", { request: "Go." }), "All is well."]);
  const rootAgent = new LlmAgent({ name: "boss", model, tools: [new AgentTool({ agent })] });
  const app = createApp({ name: KEY.appName, rootAgent });
  const runner = new Runner({ app, sessionService: store, journal, clock, ids });
  await store.createSession(KEY);

  const run = Array.fromAsync(runner.runAsync({ userId: "ada", sessionId: "talk", newMessage: userContent("Hi") }));

  await expect(run).rejects.toThrow("The session store failed.");
  const events = (await store.getSession(KEY))?.events ?? [];
  expect(events.map(brief)).not.toContain("boss: All is well.");
  expect(events.at(-1)?.errorCode).toBe("STORE_UNAVAILABLE");
});

it("is given up, not failed, when the store is unavailable for a write: calls end immediately, nothing is written, and another attempt answers", async () => {
  const clock = new FixedClock();
  const ids = new SequentialIds();
  const store = new InMemorySessionStore({ clock, ids });
  const appendInStore = store.append.bind(store);
  let isAway = false;
  store.append = async (request) => {
    if (isAway) throw new PlatformError("SERVICE_UNAVAILABLE", "The session service is away.");
    return appendInStore(request);
  };
  const finishes: string[] = [];
  const finishInStore = store.finish.bind(store);
  store.finish = async (request) => {
    finishes.push(request.status);
    return finishInStore(request);
  };
  const aborted: unknown[] = [];
  // One model is called when the store is unavailable; its failure also ends the other's call.
  const goAway = async (): Promise<string> => {
    isAway = true;
    return "Lost words.";
  };
  const hang = (_: unknown, { signal }: { readonly signal: AbortSignal }): Promise<never> =>
    new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => {
        aborted.push(signal.reason);
        reject(signal.reason);
      });
    });
  const child = (name: string, steps: ConstructorParameters<typeof ScriptedModel>[0]): LlmAgent =>
    new LlmAgent({ name, model: new ScriptedModel(steps) });
  const rootAgent = new ParallelAgent({
    name: "team",
    subAgents: [child("left", [goAway, "Found words."]), child("right", [hang, "Done."])],
  });
  const app = createApp({ name: KEY.appName, rootAgent });
  const runner = new Runner({ app, sessionService: store, journal: store, clock, ids });
  await store.createSession(KEY);
  const begin = { session: KEY, runId: "run", request: { newMessage: userContent("Hi") } };
  const first = await runner.beginRun(begin);
  if (first.kind !== "started") throw new Error("the run did not start");
  const execution = runner.executeRun(first.run);
  while (!(await execution.next()).done);

  expect([aborted, finishes]).toEqual([[expect.objectContaining({ reason: "LEASE_LOST" })], []]);
  expect(await store.get("run")).toMatchObject({ status: "running", attempts: 1 });
  isAway = false;
  const second = await runner.beginRun(begin);
  if (second.kind !== "started") throw new Error("the run was not recovered");
  await Array.fromAsync(runner.executeRun(second.run));
  expect(await store.get("run")).toMatchObject({ status: "succeeded", attempts: 2 });
  const said = ((await store.getSession(KEY))?.events ?? []).map(brief);
  expect(said.toSorted()).toEqual(["left: Found words.", "right: Done.", "user: Hi"]);
});

/** The writer of a run that has begun, over a store whose `append` waits for `gate` first. */
async function createWriter(gate: Promise<void> = Promise.resolve(), known: Partial<CachedSession> = {}) {
  const clock = new FixedClock();
  const ids = new SequentialIds();
  const store = new InMemorySessionStore({ clock, ids });
  await store.createSession(KEY);
  const begun = await store.begin({
    runId: "run",
    session: KEY,
    invocationId: "i",
    request: { newMessage: userContent("Hi") },
    policy: "enqueue",
    holder: "runner",
    leaseMs: 9000,
    haveRevision: 0,
  });
  if (begun.kind !== "started") throw new Error("the run did not start");
  const append = store.append.bind(store);
  const sent = Promise.withResolvers<void>();
  store.append = async (request) => {
    sent.resolve();
    await gate;
    return append(request);
  };
  const cancelled: string[] = [];
  const lost: PlatformError[] = [];
  const cached = Object.assign(updateCached(undefined, KEY, begun.snapshot), known);
  const writer = new EventWriter({
    journal: store,
    lease: begun.lease,
    leaseMs: 9000,
    cached,
    monotonic: () => clock.monotonic(),
    onCancelRequested: () => cancelled.push("run"),
    onStoreLost: (error) => lost.push(error),
  });
  const stored = async (): Promise<readonly string[]> => ((await store.getSession(KEY))?.events ?? []).map(brief);
  return { writer, store, clock, cached, cancelled, lost, stored, sent: sent.promise };
}

const said = (text: string): Event =>
  createEvent({ id: text, invocationId: "i", author: "helper", timestamp: 0, content: modelContent(text) });

describe("EventWriter", () => {
  it("stores the events that it has held back before it releases the run", async () => {
    const { writer, stored } = await createWriter();
    await writer.add(said("one"), { emit: true });
    const record = await writer.release();
    expect([record.status, await stored()]).toEqual(["pending", ["helper: one"]]);
    expect(writer.takeEmissions().map(({ event }) => brief(event))).toEqual(["helper: one"]);
  });

  it("finishes after the write in progress, and misses none of its own events", async () => {
    const gate = Promise.withResolvers<void>();
    const { writer, stored, sent } = await createWriter(gate.promise);
    await writer.add(said("one"), { emit: true });
    const flushed = writer.flush();
    await sent;
    await writer.add(said("two"), { emit: true });
    const finished = writer.finish("succeeded");
    gate.resolve();
    await flushed;
    expect((await finished).status).toBe("succeeded");
    expect([await stored(), writer.isCacheable]).toEqual([["helper: one", "helper: two"], true]);
    expect(writer.takeEmissions().map(({ event }) => brief(event))).toEqual(["helper: one", "helper: two"]);
  });

  it("reports by the renewal of the lease that the run is to be cancelled", async () => {
    const { writer, store, cancelled } = await createWriter();
    await writer.renew();
    expect(cancelled).toEqual([]);
    await store.cancel("run");
    await writer.renew();
    expect(cancelled).toEqual(["run"]);
  });

  it("counts the lease from the time at which a write was sent, not from that of its answer", async () => {
    const gate = Promise.withResolvers<void>();
    const { writer, clock, sent } = await createWriter(gate.promise);
    clock.advance(100);
    await writer.add(said("one"), { emit: true });
    const flushed = writer.flush();
    await sent;
    clock.advance(5000);
    gate.resolve();
    await flushed;
    expect(writer.keptAt).toBe(100);
  });

  it("counts what is on its way to the store as pending, and renews no lease meanwhile", async () => {
    const gate = Promise.withResolvers<void>();
    const { writer, store, sent } = await createWriter(gate.promise);
    const renew = vi.spyOn(store, "renew");
    expect(writer.hasPending).toBe(false);
    await writer.add(said("one"), { emit: true });
    const flushed = writer.flush();
    await sent;
    await writer.renew();
    expect([writer.hasPending, renew.mock.calls]).toEqual([true, []]);
    gate.resolve();
    await flushed;
    expect(writer.hasPending).toBe(false);
  });

  it("does not count the lease from a renewal that was sent before a later write", async () => {
    const gate = Promise.withResolvers<void>();
    const { writer, store, clock } = await createWriter();
    const renewInStore = store.renew.bind(store);
    store.renew = async (lease, leaseMs) => {
      const renewed = await renewInStore(lease, leaseMs);
      await gate.promise;
      return renewed;
    };
    const renewing = writer.renew();
    clock.advance(100);
    await writer.add(said("one"), { emit: true });
    await writer.flush();
    gate.resolve();
    await renewing;
    expect(writer.keptAt).toBe(100);
  });

  it("forgets what was not stored, and the session with it", async () => {
    const { writer, stored } = await createWriter();
    writer.discardPending();
    expect(writer.isCacheable).toBe(true);
    await writer.add(said("one"), { emit: true });
    writer.discardPending();
    await writer.finish("succeeded");
    expect([writer.isCacheable, await stored(), writer.takeEmissions()]).toEqual([false, [], []]);
  });

  it("refuses an event that no later turn could read", async () => {
    const { writer, stored } = await createWriter();
    // An agent may yield what its types do not allow.
    const broken = { ...said("one"), content: { role: "model", parts: "text" } } as unknown as Event;
    await expect(writer.add(broken, { emit: true })).rejects.toMatchObject({
      reason: "INVALID_FIELD",
      message: expect.stringContaining('An event of "helper" was not stored'),
    });
    await writer.flush();
    expect(await stored()).toEqual([]);
  });

  it("gives the run up when the store does not answer in time", async () => {
    const { writer, store, lost } = await createWriter();
    store.append = () => Promise.reject(new PlatformError("SERVICE_TIMEOUT", "Too slow."));
    await writer.add(said("one"), { emit: true });
    await expect(writer.flush()).rejects.toMatchObject({ reason: "LEASE_LOST" });
    expect(lost).toMatchObject([{ reason: "LEASE_LOST" }]);
  });

  it("finishes with the sum of the tokens, and with no more than there is", async () => {
    const { writer, store, cached } = await createWriter();
    const finish = vi.spyOn(store, "finish");
    const size = cached.size;
    await writer.add({ ...said("one"), usageMetadata: { totalTokenCount: 3, details: ["x"] } }, { emit: true });
    await writer.add({ ...said("two"), usageMetadata: { totalTokenCount: 4 } }, { emit: true });
    const record = await writer.finish("succeeded");
    expect(record.usage).toEqual({ totalTokenCount: 7, models: { unknown: { calls: 2, totalTokenCount: 7 } } });
    const sent = finish.mock.lastCall?.[0];
    expect(Object.keys(JSON.parse(JSON.stringify(sent)))).toEqual([
      "lease",
      "afterRevision",
      "events",
      "status",
      "usage",
    ]);
    expect(cached.size).toBe(size + (sent?.events ?? []).reduce((sum, { json }) => sum + json.length, 0));
  });

  it("gives a history start up once when it lacks what was rewound", async () => {
    const { writer, store } = await createWriter(Promise.resolve(), { needsHistoryStart: true, lacksRewound: true });
    const append = vi.spyOn(store, "append");
    for (const text of ["one", "two"]) {
      await writer.add(said(text), { emit: true });
      await writer.flush();
    }
    expect(append.mock.calls.map(([{ historyStart }]) => historyStart)).toEqual([NO_HISTORY_START, undefined]);
  });
});
