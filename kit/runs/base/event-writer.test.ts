import { describe, expect, it } from "vitest";
import { ParallelAgent } from "#kit/agents/parallel-agent.ts";
import { SequentialAgent } from "#kit/agents/sequential-agent.ts";
import { createApp } from "#kit/core/app.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { modelContent, userContent } from "#kit/events/content.ts";
import { createEvent, type Event } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { Runner } from "#kit/runs/runner.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import { InMemorySessionStore } from "#kit/sessions/tables/in-memory-session-store.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { functionCallResponse } from "#kit/testing/index.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { AgentTool } from "#kit/tools/agent-tool.ts";
import { brief } from "#test/helpers/worlds/agent-world.ts";
import { EventWriter } from "./event-writer.ts";
import { updateCached } from "./session-cache.ts";

const KEY = { appName: "app", userId: "ada", id: "talk" };

it("goes on behind no gap: a write that failed ends the run, whoever caught the failure", async () => {
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
  // The first one's words are stored before the second one's model is called: inside the tool, where failures are told
  // to the model.
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

it("is given up, not failed, when the store is away for a write: calls end at once, nothing is written, and another attempt answers", async () => {
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
  // One is asked when the store has gone; it takes the other's call with it.
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
  if (second.kind !== "started") throw new Error("the run was not taken up");
  await Array.fromAsync(runner.executeRun(second.run));
  expect(await store.get("run")).toMatchObject({ status: "succeeded", attempts: 2 });
  const said = ((await store.getSession(KEY))?.events ?? []).map(brief);
  expect(said.toSorted()).toEqual(["left: Found words.", "right: Done.", "user: Hi"]);
});

/** The writer of a run that has begun, over a store whose `append` waits for `gate` first. */
async function createWriter(gate: Promise<void> = Promise.resolve()) {
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
  const writer = new EventWriter({
    journal: store,
    lease: begun.lease,
    leaseMs: 9000,
    cached: updateCached(undefined, KEY, begun.snapshot),
    monotonic: () => clock.monotonic(),
    onCancelRequested: () => cancelled.push("run"),
    onStoreLost: () => {},
  });
  const stored = async (): Promise<readonly string[]> => ((await store.getSession(KEY))?.events ?? []).map(brief);
  return { writer, store, clock, cancelled, stored, sent: sent.promise };
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
});
