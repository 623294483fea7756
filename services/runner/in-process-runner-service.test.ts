import { describe, expect, it } from "vitest";
import { createApp } from "#kit/agents/app.ts";
import { LlmAgent } from "#kit/agents/llm-agent.ts";
import { InMemoryArtifactService } from "#kit/artifacts/in-memory-artifact-service.ts";
import { StaticAgentLoader } from "#kit/definitions/static-agent-loader.ts";
import { modelContent, userContent } from "#kit/events/content.ts";
import { InMemoryMemoryService } from "#kit/memory/in-memory-memory-service.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { InMemoryRunStream } from "#kit/runner/in-memory-run-stream.ts";
import type { RunStreamEntry } from "#kit/runner/run-stream.ts";
import { InMemorySessionStore } from "#kit/sessions/in-memory-session-store.ts";
import type { ConcurrencyPolicy } from "#kit/sessions/run-record.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { ScriptedModel, type ScriptedStep, streamedText } from "#kit/testing/scripted-model.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { loadConfig } from "#shared/load-config.ts";
import { closeAbandonedRuns } from "./close-abandoned-runs.ts";
import { runnerConfigSchema } from "./config.ts";
import { createRunnerService } from "./create-runner-service.ts";
import type { RunnerDeps } from "./deps.ts";
import type { ObservedEnd } from "./run-observer.ts";

const KEY = { appName: "app", userId: "ada", id: "talk" };

/** A runner service over stores in memory, whose one app has a model with these steps. */
async function createWorld(steps: readonly ScriptedStep[], overrides: Partial<RunnerDeps> = {}) {
  const clock = new FixedClock();
  const ids = new SequentialIds();
  const store = new InMemorySessionStore({ clock, ids });
  const model = new ScriptedModel(steps);
  const agent = new LlmAgent({ name: "app", model });
  const runStream = new InMemoryRunStream({ clock });
  const ends: ObservedEnd[] = [];
  const deps: RunnerDeps = {
    agentLoader: new StaticAgentLoader([agent]),
    sessionService: store,
    runJournal: store,
    artifactService: new InMemoryArtifactService({ clock }),
    memoryService: new InMemoryMemoryService({ clock, ids }),
    runStream,
    spanSinks: [],
    observer: { runStarted: () => {}, runEnded: (end) => ends.push(end) },
    clock,
    ids,
    logger: silentLogger,
    config: loadConfig(runnerConfigSchema, {}),
    holder: "here",
    ...overrides,
  };
  const service = createRunnerService(deps);
  await store.createSession(KEY);
  return {
    deps,
    clock,
    store,
    model,
    runStream,
    service,
    ends,
    start: (text: string, options: { policy?: ConcurrencyPolicy; streaming?: boolean; timeoutMs?: number } = {}) => {
      const { streaming = false, ...rest } = options;
      return service.startRun({ session: KEY, request: { newMessage: userContent(text), streaming }, ...rest });
    },
    /** Everything a run's stream has until its end. */
    read: async (runId: string): Promise<RunStreamEntry[]> => {
      const batches = runStream.subscribe(runId, { signal: AbortSignal.timeout(5000) });
      return (await Array.fromAsync(batches)).flat();
    },
    texts: async (): Promise<string[]> => {
      const session = await store.getSession(KEY);
      return (session?.events ?? []).map(
        ({ author, content, errorCode }) => `${author}: ${content?.parts?.[0]?.text ?? errorCode}`,
      );
    },
  };
}

/** A step that waits until it is let go, and says when it has begun. */
function heldStep(text: string) {
  const begun = Promise.withResolvers<void>();
  const hold = Promise.withResolvers<void>();
  const step: ScriptedStep = async () => {
    begun.resolve();
    await hold.promise;
    return text;
  };
  return { step, begun: begun.promise, letGo: hold.resolve };
}

function brief(entry: RunStreamEntry): string {
  if (entry.kind === "resync") return "resync";
  const at = `${entry.epoch}.${entry.n}`;
  if (entry.kind === "event") {
    const { content, errorCode } = JSON.parse(entry.json);
    return `${at} ${content?.parts[0].text ?? errorCode}${entry.partial ? "~" : ` #${entry.sequence}`}`;
  }
  return entry.kind === "end" ? `${at} ${entry.status}` : `${at} attempt ${entry.attempt}`;
}

describe("a run", () => {
  it("puts pieces, stored events and its end on the stream, numbered from 1", async () => {
    const { start, read, texts } = await createWorld([streamedText("Hel", "lo")]);
    const run = await start("hi", { streaming: true });
    expect(run.status).toBe("running");
    expect((await read(run.runId)).map(brief)).toEqual(["1.1 Hel~", "1.2 lo~", "1.3 Hello #2", "1.4 succeeded"]);
    expect(await texts()).toEqual(["user: hi", "app: Hello"]);
  });

  it("publishes what one turn of the event loop produced in one go", async () => {
    const published: number[] = [];
    const world = await createWorld([streamedText(..."abcdefgh")]);
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

  it("lets others have the event loop while it produces without waiting", async () => {
    const pieces = Array.from({ length: 1000 }, (_, index) => `${index} `);
    const { start, read } = await createWorld([streamedText(...pieces)]);
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
    const { start, read, store, texts } = await createWorld([new TypeError("broken")]);
    const run = await start("hi");
    expect((await read(run.runId)).map(brief)).toEqual(["1.1 TypeError #2", "1.2 failed"]);
    expect((await store.get(run.runId))?.status).toBe("failed");
    expect(await texts()).toEqual(["user: hi", "app: TypeError"]);
  });

  it("reports its end and its spans to the observer and the sinks", async () => {
    const sunk: number[] = [];
    const { start, read, ends } = await createWorld(["hello"], {
      spanSinks: [(_, spans) => void sunk.push(spans.length)],
    });
    await read((await start("hi")).runId);
    expect(ends.map(({ appName, record, spans }) => [appName, record?.status, spans.length])).toEqual([
      ["app", "succeeded", sunk[0]],
    ]);
  });

  it("for an app that does not exist is refused", async () => {
    const { service } = await createWorld([]);
    const request = { session: { ...KEY, appName: "other" }, request: { newMessage: userContent("hi") } };
    await expect(service.startRun(request)).rejects.toMatchObject({ reason: "APP_NOT_FOUND" });
  });

  it("whose session is deleted under it tells its readers", async () => {
    const held = heldStep("late");
    const { start, read, store } = await createWorld([held.step]);
    const run = await start("hi");
    await held.begun;
    await store.deleteSession(KEY);
    held.letGo();
    const end = (await read(run.runId)).at(-1);
    expect(end).toMatchObject({ kind: "end", status: "failed", error: { reason: "SESSION_NOT_FOUND" } });
  });
});

describe("a second message on a busy session", () => {
  it("waits its turn, in the order of arrival", async () => {
    const held = heldStep("one");
    const { start, read, texts } = await createWorld([held.step, "two", "three"]);
    const first = await start("a");
    const second = await start("b");
    const third = await start("c");
    expect([first.status, second.status, third.status]).toEqual(["running", "pending", "pending"]);
    await held.begun;
    held.letGo();
    expect((await read(third.runId)).map(brief)).toEqual(["3.1 three #6", "3.2 succeeded"]);
    expect(await texts()).toEqual(["user: a", "app: one", "user: b", "app: two", "user: c", "app: three"]);
  });

  it("that may not wait is refused", async () => {
    const held = heldStep("one");
    const { start } = await createWorld([held.step]);
    const first = await start("a");
    await expect(start("b", { policy: "reject" })).rejects.toMatchObject({
      reason: "SESSION_BUSY",
      details: { runId: first.runId },
    });
    held.letGo();
  });

  it("that interrupts cancels the run under way", async () => {
    const held = heldStep("one");
    const { start, read, texts } = await createWorld([held.step, "two"]);
    const first = await start("a");
    await held.begun;
    const second = await start("b", { policy: "interrupt" });
    expect(brief((await read(first.runId)).at(-1) ?? { kind: "resync" })).toBe("1.2 cancelled");
    expect((await read(second.runId)).map(brief)).toEqual(["2.1 two #4", "2.2 succeeded"]);
    expect(await texts()).toEqual(["user: a", "app: RUN_CANCELLED", "user: b", "app: two"]);
  });
});

describe("a second message that rolls back", () => {
  it("takes the run under way back, so that the model never hears of it", async () => {
    const held = heldStep("one");
    const { start, read, model } = await createWorld(["hello", held.step, "two"]);
    await read((await start("hi")).runId);
    const first = await start("a");
    await held.begun;
    const second = await start("b", { policy: "rollback" });
    expect(brief((await read(first.runId)).at(-1) ?? { kind: "resync" })).toBe("2.2 cancelled");
    expect((await read(second.runId)).map(brief)).toEqual(["3.1 two #7", "3.2 succeeded"]);
    expect(model.requests.at(-1)?.contents).toEqual([userContent("hi"), modelContent("hello"), userContent("b")]);
  });
});

describe("cancelRun", () => {
  it("aborts a run under way at once", async () => {
    const held = heldStep("never");
    const { start, read, service, store } = await createWorld([held.step]);
    const run = await start("hi");
    await held.begun;
    expect((await service.cancelRun(run.runId)).cancelRequested).toBe(true);
    expect((await read(run.runId)).map(brief)).toEqual(["1.1 RUN_CANCELLED #2", "1.2 cancelled"]);
    expect((await store.get(run.runId))?.status).toBe("cancelled");
  });

  it("takes a run out of the line and tells its readers, while the run ahead goes on", async () => {
    const held = heldStep("one");
    const { start, read, service } = await createWorld([held.step, "three"]);
    const first = await start("a");
    const second = await start("b");
    const third = await start("c");
    expect((await service.cancelRun(second.runId)).status).toBe("cancelled");
    expect((await read(second.runId)).map(brief)).toEqual(["0.1 cancelled"]);
    held.letGo();
    expect((await read(first.runId)).map(brief)).toEqual(["1.1 one #2", "1.2 succeeded"]);
    expect((await read(third.runId)).map(brief)).toEqual(["2.1 three #4", "2.2 succeeded"]);
  });

  it("of a run that never was is refused", async () => {
    const { service } = await createWorld([]);
    await expect(service.cancelRun("none")).rejects.toMatchObject({ reason: "RUN_NOT_FOUND" });
  });
});

describe("limits", () => {
  it("end a run that takes longer than its deadline", async () => {
    const held = heldStep("never");
    const { start, read } = await createWorld([held.step]);
    const run = await start("hi", { timeoutMs: 1 });
    expect((await read(run.runId)).map(brief)).toEqual(["1.1 RUN_TIMED_OUT #2", "1.2 timed_out"]);
  });
});

describe("a runner whose slots are taken", () => {
  const withSlots = (count: string) => ({ config: loadConfig(runnerConfigSchema, { MAX_CONCURRENT_RUNS: count }) });

  it("refuses more runs and says when to try again, and takes them when a slot is free", async () => {
    const held = heldStep("one");
    const { start, read, service, store } = await createWorld([held.step, "two"], withSlots("1"));
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
    held.letGo();
    await read(first.runId);
    await service.whenIdle();
    expect((await read((await startOther()).runId)).map(brief)).toEqual(["1.1 two #2", "1.2 succeeded"]);
  });

  it("tells its load: runs in line need no slot", async () => {
    const held = heldStep("one");
    const { clock, start, read, service } = await createWorld([held.step, "two"], withSlots("2"));
    await start("a");
    const second = await start("b");
    await held.begun;
    clock.advance(1500);
    expect(service.load).toEqual({ busySlots: 1, queued: 1, oldestQueuedMs: 1500 });
    held.letGo();
    await read(second.runId);
    await service.whenIdle();
    expect(service.load).toEqual({ busySlots: 0, queued: 0, oldestQueuedMs: 0 });
  });

  it("has the slot back when a run is refused or does not exist", async () => {
    const { start, service } = await createWorld(["hello"], withSlots("1"));
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
    const { start } = await createWorld(["hello"], overrides);
    expect((await start("hi", given === undefined ? {} : { policy: given })).policy).toBe(policy);
  });
});

describe("a run that its caller named", () => {
  it("is started once, however often it is asked for: at once, while it goes on, after its end", async () => {
    const { step, begun, letGo } = heldStep("hello");
    const { service, read, texts, model } = await createWorld([step]);
    const start = () =>
      service.startRun({ runId: "mine", session: KEY, request: { newMessage: userContent("hi"), streaming: false } });
    const [first, second] = await Promise.all([start(), start()]);
    expect([first, second]).toMatchObject([
      { runId: "mine", status: "running", epoch: 1, attempts: 1 },
      { runId: "mine", status: "running", epoch: 1, attempts: 1 },
    ]);
    await begun;
    expect(await start()).toMatchObject({ runId: "mine", status: "running", epoch: 1, attempts: 1 });
    letGo();
    await read("mine");
    expect(await start()).toMatchObject({ runId: "mine", status: "succeeded", epoch: 1, attempts: 1 });
    expect(await texts()).toEqual(["user: hi", "app: hello"]);
    expect(model.requests.length).toBe(1);
  });
});

describe("stopping", () => {
  it("ends runs under way as interrupted, leaves those in line for the next process, and takes nothing new", async () => {
    const held = heldStep("never");
    const { start, read, service, store } = await createWorld([held.step]);
    const first = await start("a");
    const second = await start("b");
    await held.begun;
    await service.abortRuns();
    expect((await read(first.runId)).map(brief)).toEqual(["1.1 RUN_INTERRUPTED #2", "1.2 interrupted"]);
    expect((await store.get(second.runId))?.status).toBe("pending");
    await expect(start("c")).rejects.toMatchObject({ reason: "SERVER_SHUTTING_DOWN" });
  });
});

describe("closeAbandonedRuns", () => {
  it("ends what a process of the same name left behind and frees the session", async () => {
    const held = heldStep("never");
    const world = await createWorld([held.step]);
    const first = await world.start("a");
    const second = await world.start("b");
    await held.begun;

    // A process that starts on the same stores, while nothing of the old one runs any more.
    expect(await closeAbandonedRuns(world.deps)).toBe(2);
    const model = new ScriptedModel(["back"]);
    const next = createRunnerService({
      ...world.deps,
      agentLoader: new StaticAgentLoader([new LlmAgent({ name: "app", model })]),
    });
    const run = await next.startRun({ session: KEY, request: { newMessage: userContent("c") } });
    await world.read(run.runId);

    const records = await Promise.all([first, second, run].map(({ runId }) => world.store.get(runId)));
    expect(records.map((record) => [record?.status, record?.error?.reason])).toEqual([
      ["interrupted", "RUN_INTERRUPTED"],
      ["interrupted", "RUN_INTERRUPTED"],
      ["succeeded", undefined],
    ]);
    expect(await world.texts()).toEqual([
      "user: a",
      "app: RUN_INTERRUPTED",
      "user: b",
      "app: RUN_INTERRUPTED",
      "user: c",
      "app: back",
    ]);
    expect(model.requests[0]?.contents).toEqual([userContent("a"), userContent("b"), userContent("c")]);
  });

  it("has nothing to do after a clean end", async () => {
    const { deps, start, read, texts } = await createWorld([{ content: modelContent("hello") }]);
    await read((await start("hi")).runId);
    expect([await closeAbandonedRuns(deps), await texts()]).toEqual([0, ["user: hi", "app: hello"]]);
  });
});
