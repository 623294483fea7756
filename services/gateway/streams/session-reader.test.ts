import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { JsonPiece } from "#kit/artifacts/json-pieces.ts";
import { PlatformError, toPlatformError } from "#kit/errors/platform-error.ts";
import { createEvent, type Event } from "#kit/events/event.ts";
import { DEFAULT_TENANT } from "#kit/names/tenant.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import { InMemoryRunStream } from "#ports/runs/in-memory-run-stream.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { AnswerAccount } from "#shared/answers/answer-account.ts";
import { watchCalls } from "#shared/metrics/watch-calls.ts";
import { type CallScope, currentCallScope, inCallScope } from "#shared/security/call-scope.ts";
import type { Pausable } from "./paced-response.ts";
import { SessionChangeNotifier } from "./session-change-notifier.ts";
import { openSessionReader, type ReaderSink } from "./session-reader.ts";

const KEY = { appName: "app", userId: "ada", id: "s" };
const CHECK_MS = 10_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** Records its calls. */
class NotingSink implements ReaderSink {
  readonly notes: string[] = [];
  readonly ahead = new Set<Pausable>();
  readonly answers = new AnswerAccount({ maxBytes: 0, maxBytesOfUser: 0 }).reader("u");
  async pieces(pieces: readonly JsonPiece[], cursor: string): Promise<void> {
    this.event(pieces.join(""), cursor);
  }
  event(json: string, cursor: string): void {
    // Written by createEvent.
    this.notes.push(`${(JSON.parse(json) as Event).id} ${cursor}`);
  }
  run({ runId, status }: Parameters<ReaderSink["run"]>[0]): void {
    this.notes.push(`${runId} ${status}`);
  }
  attempt(attempt: number): void {
    this.notes.push(`attempt ${attempt}`);
  }
  resync(): void {
    this.notes.push("resync");
  }
  isFull(): boolean {
    return false;
  }
  flush(): undefined {}
  fail(thrown: unknown): void {
    this.notes.push(toPlatformError(thrown).reason);
  }
}

function startWorld() {
  const clock = new FixedClock();
  const store = new InMemorySessionStore({ clock, ids: new SequentialIds() });
  const calls: string[] = [];
  const scopes: (CallScope | undefined)[] = [];
  const watched = watchCalls(store, (operation) => ({
    started: () => {
      calls.push(operation);
      scopes.push(currentCallScope());
      return 0;
    },
    ended: () => {},
  }));
  const runStream = new InMemoryRunStream({ clock });
  const state: { failure: PlatformError | undefined; refused: number } = { failure: undefined, refused: 0 };
  const getHeads: RunJournal["getHeads"] = async (sessions) => {
    if (state.failure === undefined) return watched.getHeads(sessions);
    state.refused += 1;
    throw state.failure;
  };
  const { get, list, cancel } = watched;
  const deps = {
    ...{ sessionService: watched, runJournal: { get, list, cancel, getHeads }, runStream, logger: silentLogger },
    artifactService: new InMemoryArtifactService({ clock }),
  };
  const news = new SessionChangeNotifier(deps);
  const sink = new NotingSink();
  const open = async (sequence: number) => {
    const reader = await openSessionReader(deps, news, { session: KEY, after: { sequence } });
    reader.start(sink);
    return reader;
  };
  return { store, state, calls, scopes, runStream, sink, open };
}

function said(id: string): Event {
  return createEvent({ id, invocationId: "i", author: "agent", timestamp: 1 });
}

it("costs one call to open if there is nothing to catch up, and then only the checks that all readers share", async () => {
  const { store, calls, open } = startWorld();
  await store.createSession({ ...KEY, events: [said("a")] });
  const reader = await open(1);
  await expect.poll(() => reader.isWaiting).toBe(true);
  expect(calls).toEqual(["getHeads"]);
  await vi.advanceTimersByTimeAsync(3 * CHECK_MS);
  expect(calls).toEqual(Array(4).fill("getHeads"));
  reader.stop();
});

it("shows events that were stored without a notification at the next check of the store", async () => {
  const { store, sink, open } = startWorld();
  const session = await store.createSession({ ...KEY, events: [said("a")] });
  const reader = await open(0);
  await expect.poll(() => [sink.notes, reader.isWaiting]).toEqual([["a 1"], true]);
  await store.appendEvent(session, said("b"));
  await vi.advanceTimersByTimeAsync(CHECK_MS);
  await expect.poll(() => sink.notes).toEqual(["a 1", "b 2"]);
  reader.stop();
  expect(vi.getTimerCount()).toBe(0);
});

it.each([
  ["deleted", false],
  ["deleted and made again under its id", true],
])("ends when the session was %s without a notification", async (_, isMadeAgain) => {
  const { store, sink, open } = startWorld();
  await store.createSession({ ...KEY, events: [said("a")] });
  const reader = await open(1);
  await expect.poll(() => reader.isWaiting).toBe(true);
  await store.deleteSession(KEY);
  if (isMadeAgain) await store.createSession({ ...KEY, events: [said("x")] });
  await vi.advanceTimersByTimeAsync(CHECK_MS);
  await expect.poll(() => sink.notes).toEqual(["SESSION_NOT_FOUND"]);
  expect(vi.getTimerCount()).toBe(0);
});

it.each(["STORE_UNAVAILABLE", "SERVICE_TIMEOUT"] as const)(
  "keeps reading after a look that fails with %s, and passes the event on at the next look",
  async (reason) => {
    const { store, state, runStream, sink, open } = startWorld();
    const session = await store.createSession(KEY);
    const reader = await open(0);
    await expect.poll(() => reader.isWaiting).toBe(true);
    state.failure = new PlatformError(reason, "No answer.");
    await store.appendEvent(session, said("a"));
    runStream.announce(KEY);
    await expect.poll(() => [state.refused, reader.isWaiting]).toEqual([1, true]);
    state.failure = undefined;
    await vi.advanceTimersByTimeAsync(CHECK_MS);
    await expect.poll(() => sink.notes).toEqual(["a 1"]);
    reader.stop();
  },
);

it("reads events in the name of its own request, for every source of the notification", async () => {
  const { store, calls, scopes, runStream, sink, open } = startWorld();
  const session = await store.createSession(KEY);
  const scope = { principal: { tenantId: DEFAULT_TENANT, appName: "app", userId: "ada", scopes: [] } };
  const reader = await inCallScope(scope, () => open(0));
  await expect.poll(() => reader.isWaiting).toBe(true);
  await store.appendEvent(session, said("a"));
  inCallScope({ principal: { tenantId: DEFAULT_TENANT, userId: "bob", scopes: [] } }, () => runStream.announce(KEY));
  await expect.poll(() => sink.notes).toEqual(["a 1"]);
  expect(scopes[calls.indexOf("listEventRecords")]).toEqual(scope);
  reader.stop();
});

it("leaves no timer of a run that it has followed to its end", async () => {
  const { store, runStream, sink, open } = startWorld();
  await store.createSession(KEY);
  const begin = { runId: "r", session: KEY, invocationId: "i", request: {}, policy: "enqueue" } as const;
  const begun = await store.begin({ ...begin, holder: "h", leaseMs: 1000, haveRevision: 0 });
  if (begun.kind !== "started") throw new Error(`The run is ${begun.kind}.`);
  const reader = await open(0);
  const timersWhileWaiting = 1;
  await expect.poll(() => [sink.notes, vi.getTimerCount()]).toEqual([["r running"], timersWhileWaiting + 1]);
  await store.finish({ lease: begun.lease, afterRevision: 0, events: [], status: "succeeded" });
  await runStream.publish("r", [{ kind: "end", epoch: begun.run.epoch, n: 1, status: "succeeded" }]);
  await expect.poll(() => [sink.notes, reader.isWaiting]).toEqual([["r running", "r succeeded"], true]);
  expect(vi.getTimerCount()).toBe(timersWhileWaiting);
  reader.stop();
  expect(vi.getTimerCount()).toBe(0);
});

it.each([
  ["there is no session", false, "SESSION_NOT_FOUND"],
  ["its position is ahead of the session", true, "INVALID_CURSOR"],
])("looks for no news when it cannot be opened because %s", async (_, hasSession, reason) => {
  const { store, calls, open } = startWorld();
  if (hasSession) await store.createSession(KEY);
  await expect(open(1)).rejects.toMatchObject({ reason });
  calls.length = 0;
  await vi.advanceTimersByTimeAsync(3 * CHECK_MS);
  expect([calls, vi.getTimerCount()]).toEqual([[], 0]);
});
