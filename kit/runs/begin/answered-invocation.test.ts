import { describe, expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { type Content, type Part, userContent } from "#kit/events/content.ts";
import { createEvent, type Event } from "#kit/events/event.ts";
import { createEventActions } from "#kit/events/event-actions.ts";
import { type StoredEvent, toEventRecord } from "#kit/events/event-record.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { updateCached } from "#kit/runs/base/session-cache.ts";
import { Runner } from "#kit/runs/runner.ts";
import type { ListEventRecordsResponse, ListEventsRequest } from "#kit/sessions/session-service.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { LongRunningFunctionTool } from "#kit/tools/function-tool.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { recordEvents } from "#test/helpers/record-events.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { answeredInvocation } from "./answered-invocation.ts";

const KEY = { appName: "app", userId: "ada", id: "talk" };

function answerTo(id: string): Content {
  return { role: "user", parts: [{ functionResponse: { id, name: "job", response: { done: true } } }] };
}

async function createWaitingWorld() {
  const job = new LongRunningFunctionTool({ name: "job", description: "Starts a job.", execute: () => ({ id: 1 }) });
  const model = new ScriptedModel([
    { content: { role: "model", parts: [{ functionCall: { id: "call-\u00e9", name: "job", args: {} } }] } },
    "started",
    "meanwhile",
    "done",
  ]);
  const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools: [job] }));
  await world.run("go");
  await world.run("and?");
  const invocationIds = async () => [...new Set((await world.session()).events.map((event) => event.invocationId))];
  return { world, invocationIds };
}

/**
 * A store that returns two events a page, notes the requests, and leaves out the first two events of a bounded read.
 */
class PagedStore extends InMemorySessionStore {
  readonly requests: ListEventsRequest[] = [];
  bounded = false;

  override async listEventRecords(request: ListEventsRequest): Promise<ListEventRecordsResponse> {
    this.requests.push(request);
    const page = await super.listEventRecords({ ...request, pageSize: 2 });
    const isLeftOut = (sequence: number): boolean => this.bounded && request.fromHistoryStart === true && sequence <= 2;
    return { ...page, events: page.events.filter(({ sequence }) => !isLeftOut(sequence)) };
  }
}

describe("the search for the call that a message answers", () => {
  const said = (invocationId: string, ...parts: readonly Part[]): Event =>
    createEvent({
      id: `${invocationId}-event`,
      invocationId,
      author: "helper",
      timestamp: 0,
      content: { role: "model", parts },
    });
  const called = (id: string, args: JsonObject = {}): Part => ({ functionCall: { id, name: "job", args } });
  const stored = (events: readonly Event[]): StoredEvent[] =>
    events.map((event, index) => ({ ...toEventRecord(event), sequence: index + 1 }));

  /** A store with the events, of which the cache holds the first `cachedCount`. */
  async function startSearch(events: readonly Event[], cachedCount?: number) {
    const store = new PagedStore({ clock: new FixedClock(), ids: new SequentialIds() });
    await store.createSession(KEY);
    await recordEvents(store, KEY, events);
    const snapshot = { incarnation: "a", complete: true, state: {}, lastUpdateTime: 0 };
    const cached =
      cachedCount === undefined
        ? undefined
        : updateCached(undefined, KEY, {
            ...snapshot,
            revision: cachedCount,
            events: stored(events.slice(0, cachedCount)),
          });
    const session = { key: KEY, cached, sessionService: store };
    const find = async (message: Content, key = KEY) => (await answeredInvocation(message, { ...session, key })).id;
    return { store, find };
  }
  const talk = [said("one", called("a")), said("two", { text: "x" }), said("three", { text: "y" })];

  it("reads nothing for a message without an answer, nor for an answer to a call in the cache", async () => {
    const { store, find } = await startSearch(talk, 3);
    expect(await find(userContent("hi"))).toBeUndefined();
    expect(await find(answerTo("a"))).toBe("one");
    expect(store.requests).toEqual([]);
  });

  it("takes the newest of several calls of one id", async () => {
    const twice = [...talk, said("four", called("a"))];
    expect(await (await startSearch(twice, 4)).find(answerTo("a"))).toBe("four");
    expect(await (await startSearch(twice)).find(answerTo("a"))).toBe("four");
  });

  it("reads what the cache lacks, page by page", async () => {
    const events = [...talk, said("four", { text: "z" }), said("five", called("b"))];
    const { store, find } = await startSearch(events, 2);
    expect(await find(answerTo("b"))).toBe("five");
    expect(store.requests).toEqual([
      { ...KEY, afterRevision: 2 },
      { ...KEY, afterRevision: 2, pageToken: expect.any(String) },
    ]);
  });

  it("reads the history once when nothing was left out, also for an unknown call", async () => {
    const { store, find } = await startSearch(talk);
    const unknown = { reason: "FUNCTION_CALL_UNKNOWN" };
    await expect(find(answerTo("none"))).rejects.toMatchObject(unknown);
    expect(store.requests.map(({ fromHistoryStart }) => fromHistoryStart)).toEqual([true, true]);
    const cold = await startSearch(talk, 1);
    await expect(cold.find(answerTo("none"))).rejects.toMatchObject(unknown);
    expect(cold.store.requests).toHaveLength(1);
  });

  it("reads all events when the call may be among those that were left out", async () => {
    const { store, find } = await startSearch(talk);
    store.bounded = true;
    expect(await find(answerTo("a"))).toBe("one");
    expect(store.requests.map(({ fromHistoryStart }) => fromHistoryStart)).toEqual([true, true, undefined, undefined]);
  });

  it.each([undefined, 2])(
    "finds both of two answered calls, one of which is before the history start (cached: %s)",
    async (cachedCount) => {
      const events = [
        said("one", called("a")),
        said("two", { text: "x" }),
        { ...said("one", called("b")), id: "later" },
      ];
      const { store } = await startSearch(events);
      store.bounded = true;
      const snapshot = { incarnation: "a", state: {}, lastUpdateTime: 0, complete: false, revision: 2 };
      const cached =
        cachedCount === undefined
          ? undefined
          : updateCached(undefined, KEY, { ...snapshot, events: stored(events).slice(1, 2) });
      const message = { role: "user", parts: ["a", "b"].flatMap((id) => answerTo(id).parts ?? []) };
      const { id, calls } = await answeredInvocation(message, { key: KEY, cached, sessionService: store });
      expect([id, [...calls.keys()].sort()]).toEqual(["one", ["a", "b"]]);
    },
  );

  it("is not misled by a call that only mentions the id", async () => {
    const { find } = await startSearch([said("one", called("b", { job: "a" }))]);
    await expect(find(answerTo("a"))).rejects.toMatchObject({ reason: "FUNCTION_CALL_UNKNOWN" });
  });

  it("finds no call that was rewound, whether the cache or the store has it", async () => {
    const actions = createEventActions({ rewindBeforeInvocationId: "two" });
    const rewind = createEvent({ id: "r", invocationId: "r", author: "user", timestamp: 0, actions });
    const events = [said("one", called("a")), said("two", called("b")), said("three", called("c")), rewind];
    for (const cachedCount of [undefined, 1, 2, 4]) {
      const { find } = await startSearch(events, cachedCount);
      expect(await find(answerTo("a"))).toBe("one");
      if (cachedCount === 2) continue;
      for (const id of ["b", "c"])
        await expect(find(answerTo(id))).rejects.toMatchObject({ reason: "FUNCTION_CALL_UNKNOWN" });
    }
  });

  it("parses no event that does not name the call", async () => {
    const { store, find } = await startSearch(talk);
    const list = store.listEventRecords.bind(store);
    store.listEventRecords = async (request) => {
      const page = await list(request);
      return {
        ...page,
        events: page.events.map((record) => (record.sequence === 1 ? record : { ...record, json: "{" })),
      };
    };
    expect(await find(answerTo("a"))).toBe("one");
  });

  it("finds nothing where there is no session, and throws other failures of the store", async () => {
    const { store, find } = await startSearch(talk);
    expect(await find(answerTo("a"), { ...KEY, id: "none" })).toBeUndefined();
    for (const error of [new PlatformError("STORE_UNAVAILABLE", "away"), new Error("broken")]) {
      store.listEventRecords = () => Promise.reject(error);
      await expect(find(answerTo("a"))).rejects.toBe(error);
    }
  });
});

describe("a message that answers a call", () => {
  it("continues the invocation of the call", async () => {
    const { world, invocationIds } = await createWaitingWorld();
    const before = await invocationIds();
    const [event] = await world.run(answerTo("call-\u00e9"));
    expect(event?.invocationId).toBe(before[0]);
    expect(await invocationIds()).toEqual(before);
  });

  it("does so on a runner that has not seen the session", async () => {
    const { world, invocationIds } = await createWaitingWorld();
    const before = await invocationIds();
    const { app, journal, sessionService } = world.runner;
    const runner = new Runner({ app, journal, sessionService });
    const newMessage = answerTo("call-\u00e9");
    const [event] = await Array.fromAsync(runner.runAsync({ userId: "ada", sessionId: "talk", newMessage }));
    expect(event?.invocationId).toBe(before[0]);
  });

  it("is refused, and nothing of it is stored, if the session has no such call", async () => {
    verifies("wire:run:unknown-calls");
    const { world } = await createWaitingWorld();
    const before = await world.session();
    const unknown = {
      reason: "FUNCTION_CALL_UNKNOWN",
      message:
        'newMessage.parts.0.functionResponse.id is "call-x", and the session has no such call: give the id of a functionCall in its events.',
    };
    await expect(world.run(answerTo("call-x"))).rejects.toMatchObject(unknown);
    const { app, journal, sessionService } = world.runner;
    const runner = new Runner({ app, journal, sessionService });
    const runConfig = { autoCreateSession: true };
    for (const sessionId of ["talk", "new"]) {
      const run = runner.runAsync({ userId: "ada", sessionId, newMessage: answerTo("call-x"), runConfig });
      await expect(Array.fromAsync(run)).rejects.toMatchObject(unknown);
    }
    expect(await world.session()).toEqual(before);
    expect(await world.store.getSession({ ...KEY, id: "new" })).toBeUndefined();
  });

  it("is refused if its name is not the call's, or if its call was rewound", async () => {
    verifies("wire:run:unknown-calls", "wire:run:message-validation");
    const { world, invocationIds } = await createWaitingWorld();
    const named = (name?: string): Content => ({
      role: "user",
      parts: [{ functionResponse: { id: "call-\u00e9", ...(name !== undefined && { name }), response: {} } }],
    });
    for (const [name, found] of [
      ["other", '"other"'],
      [undefined, "missing"],
    ]) {
      await expect(world.run(named(name))).rejects.toMatchObject({
        reason: "INVALID_MESSAGE",
        message: `newMessage.parts.0.functionResponse.name is ${found}: give "job", the name of the call "call-\u00e9".`,
      });
    }
    const [rewindBeforeInvocationId] = await invocationIds();
    await world.runner.rewind({
      userId: "ada",
      sessionId: "talk",
      rewindBeforeInvocationId: rewindBeforeInvocationId ?? "",
    });
    await expect(world.run(answerTo("call-\u00e9"))).rejects.toMatchObject({ reason: "FUNCTION_CALL_UNKNOWN" });
  });

  it("leaves it to the run to say that there is no session", async () => {
    const { world } = await createWaitingWorld();
    const request = { userId: "ada", sessionId: "none", newMessage: answerTo("call-\u00e9") };
    await expect(Array.fromAsync(world.runner.runAsync(request))).rejects.toMatchObject({
      reason: "SESSION_NOT_FOUND",
    });
  });

  it("is refused when it answers calls of several invocations", async () => {
    verifies("wire:run:message-validation");
    const { world } = await createWaitingWorld();
    const session = await world.session();
    const functionCall = { id: "other", name: "job" };
    const event = createEvent({
      id: "e-other",
      invocationId: "another",
      author: "helper",
      timestamp: 0,
      content: { role: "model", parts: [{ functionCall }] },
      longRunningToolIds: ["other"],
    });
    await recordEvents(world.store, session, [event]);
    const both = ["call-\u00e9", "other"].flatMap((id) => answerTo(id).parts ?? []);
    const refused = { reason: "INVALID_MESSAGE", message: expect.stringContaining("calls of 2 invocations") };
    await expect(world.run({ role: "user", parts: both })).rejects.toMatchObject(refused);
    const { app, journal, sessionService } = world.runner;
    const runner = new Runner({ app, journal, sessionService });
    const newMessage = { role: "user", parts: both };
    const run = runner.runAsync({ userId: "ada", sessionId: "talk", newMessage });
    await expect(Array.fromAsync(run)).rejects.toMatchObject(refused);
  });
});
