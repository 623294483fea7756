import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { StoredEvent } from "#kit/events/event-record.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryRunStream } from "#ports/runs/in-memory-run-stream.ts";
import type { EventEntry, PublishedEntry, RunStream, RunStreamEntry } from "#ports/runs/run-stream.ts";
import { AnswerAccount } from "#shared/answers/answer-account.ts";
import { checkRunCursor, type RelayOptions, type RelaySink, relayRun } from "./relay-run.ts";

const session = { appName: "a", userId: "u", id: "s" };
const run = { runId: "r", session, status: "running" } as const;
const record: RunRecord = {
  runId: "r",
  session,
  invocationId: "e-1",
  request: {},
  status: "running",
  policy: "enqueue",
  attempts: 1,
  epoch: 1,
  createdTime: 0,
  cancelRequested: false,
  baseRevision: 4,
};

const partial = (n: number, json: string): EventEntry => ({
  kind: "event",
  epoch: 1,
  n,
  eventId: `p${n}`,
  json,
  partial: true,
});
const durable = (n: number, sequence: number, json: string): EventEntry => ({
  ...{ kind: "event", epoch: 1, n, eventId: `d${n}`, json, partial: false, sequence },
});
const end = (n: number): PublishedEntry => ({ kind: "end", epoch: 1, n, status: "succeeded" });
const stored = (sequence: number, json: string, author = "agent", invocationId = "e-1"): StoredEvent => ({
  ...{ id: `d${sequence}`, invocationId, author, timestamp: 0, json, sequence },
});

/** Records its calls: JSON, `flush`, and marks. */
class RecordingSink implements RelaySink {
  readonly seen: string[] = [];
  wait: Promise<void> | undefined;
  event({ json }: { readonly json: string }): void {
    this.seen.push(json);
  }
  attempt(attempt: number): void {
    this.seen.push(`attempt ${attempt}`);
  }
  resync(): void {
    this.seen.push("resync");
  }
  flush(): Promise<void> | undefined {
    this.seen.push("flush");
    return this.wait;
  }
}

interface World {
  readonly runStream: RunStream;
  readonly history?: readonly StoredEvent[];
  readonly record?: () => RunRecord | undefined;
}

function relay({ runStream, history = [], record: read = () => record }: World, options: Partial<RelayOptions> = {}) {
  const sink = new RecordingSink();
  const controller = new AbortController();
  const answers = new AnswerAccount({ maxBytes: 0, maxBytesOfUser: 0 }).reader("u");
  const deps = {
    runStream,
    logger: silentLogger,
    runJournal: { get: async () => read(), list: unused, getHeads: unused, cancel: unused },
    sessionService: {
      listEventRecords: async ({ afterRevision = 0 }) => ({
        events: history.filter(({ sequence }) => sequence > afterRevision),
      }),
    },
    artifactService: {},
  };
  // The relay uses no other methods of these ports.
  const ended = relayRun(deps as unknown as Parameters<typeof relayRun>[0], {
    run,
    controller,
    sink,
    answers,
    ...options,
  });
  return { sink, controller, ended };
}

function unused(): never {
  throw new Error("not part of this test");
}

/** Delivers the batches, then waits for the abort, or ends. */
function streamOf(batches: readonly (readonly RunStreamEntry[])[], { open = false } = {}): RunStream {
  return {
    publish: unused,
    watch: unused,
    announce: unused,
    subscribe: async function* (_runId, { signal }) {
      yield* batches;
      if (open && !signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
  };
}

/** Cannot be read. */
function failing(error: PlatformError): RunStream {
  return {
    publish: unused,
    watch: unused,
    announce: unused,
    subscribe: () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) }),
  };
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe("relayRun", () => {
  it("relays every entry in order, with one flush for each batch", async () => {
    const runStream = new InMemoryRunStream({ clock: new FixedClock() });
    await runStream.publish("r", [partial(1, "a"), partial(2, "b"), durable(3, 5, "ab")]);
    const { sink, ended } = relay({ runStream });
    await runStream.publish("r", [
      { kind: "attempt", epoch: 2, n: 1, attempt: 2 },
      { ...end(2), epoch: 2 },
    ]);
    expect(await ended).toMatchObject({ status: "succeeded" });
    expect(sink.seen).toEqual(["a", "b", "ab", "flush", "attempt 2", "flush"]);
  });

  it("reads durable events from the store after a resync, once each, and drops chunks that they cover", async () => {
    const runStream = streamOf([
      [durable(1, 5, "five")],
      [{ kind: "resync" }, partial(7, "sev"), durable(8, 7, "seven"), partial(9, "nine"), durable(10, 9, "nine.")],
      [end(11)],
    ]);
    const history = [
      stored(5, "five"),
      stored(6, "six"),
      stored(7, "seven"),
      stored(8, "user's", "user"),
      stored(9, "other", "agent", "e-2"),
    ];
    const { sink, ended } = relay({ runStream, history: history.slice(0, 4) });
    expect(await ended).toMatchObject({ status: "succeeded" });
    expect(sink.seen).toEqual(["five", "flush", "resync", "six", "seven", "nine", "nine.", "flush", "flush"]);
  });

  it("relays only the run's own events when it starts with a resync", async () => {
    const history = [
      stored(3, "earlier run"),
      stored(5, "question", "user"),
      stored(6, "mine"),
      stored(7, "state", "agent", "p-1"),
    ];
    const { sink, ended } = relay({ runStream: streamOf([[{ kind: "resync" }, end(9)]]), history });
    await ended;
    expect(sink.seen).toEqual(["resync", "mine", "flush"]);
  });

  it("takes the end from the record when the stream stays silent", async () => {
    let status: RunRecord["status"] = "running";
    const { sink, ended } = relay({
      runStream: streamOf([[durable(1, 5, "five")]], { open: true }),
      history: [stored(5, "five"), stored(6, "six")],
      record: () => ({ ...record, status }),
    });
    await vi.advanceTimersByTimeAsync(20_000);
    expect(sink.seen).toEqual(["five", "flush"]);
    status = "failed";
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await ended).toEqual({ status: "failed" });
    expect(sink.seen).toEqual(["five", "flush", "resync", "six", "flush"]);
  });

  it("does not take a slow reader for a silent stream", async () => {
    const runStream = new InMemoryRunStream({ clock: new FixedClock() });
    await runStream.publish("r", [durable(1, 5, "five")]);
    const { sink, ended } = relay({ runStream, record: () => ({ ...record, status: "succeeded" }) });
    const slow = Promise.withResolvers<void>();
    sink.wait = slow.promise;
    await vi.advanceTimersByTimeAsync(20_000);
    await runStream.publish("r", [durable(2, 6, "six"), end(3)]);
    sink.wait = undefined;
    slow.resolve();
    expect(await ended).toMatchObject({ status: "succeeded" });
    expect(sink.seen).toEqual(["five", "flush", "six", "flush"]);
  });

  it("reads the record of a run that has ended immediately", async () => {
    const ended = { ...record, status: "succeeded" } as const;
    const world = relay(
      { runStream: streamOf([], { open: true }), history: [stored(6, "six")], record: () => ended },
      { run: { ...run, status: "succeeded" } },
    );
    await vi.advanceTimersByTimeAsync(250);
    expect(await world.ended).toEqual({ status: "succeeded" });
    expect(world.sink.seen).toEqual(["resync", "six", "flush"]);
  });

  it("fails when the record of a silent run is deleted with its session", async () => {
    const gone = relay({ runStream: streamOf([[partial(1, "piece")]], { open: true }), record: () => undefined });
    const failure = expect(gone.ended).rejects.toMatchObject({ reason: "RUN_NOT_FOUND" });
    await vi.advanceTimersByTimeAsync(10_000);
    await failure;
    const lost = relay({ runStream: streamOf([[{ kind: "resync" }]], { open: true }), record: () => undefined });
    await expect(lost.ended).rejects.toMatchObject({ reason: "RUN_NOT_FOUND" });
  });

  it("takes the end from the record when its entry was lost, and reports one loss once", async () => {
    let status: RunRecord["status"] = "running";
    const runStream = {
      ...streamOf([]),
      subscribe: async function* (): AsyncGenerator<readonly RunStreamEntry[]> {
        yield [partial(1, "piece")];
        yield [{ kind: "resync" }];
        yield [{ kind: "resync" }];
        status = "succeeded";
        yield [{ kind: "resync" }];
        throw new Error("It is read on after the end.");
      },
    };
    const history = [stored(5, "five")];
    const { sink, ended } = relay({ runStream, history, record: () => ({ ...record, status }) });
    expect(await ended).toEqual({ status: "succeeded" });
    expect(sink.seen).toEqual(["piece", "flush", "resync", "five", "flush", "flush", "flush"]);
  });

  it("does not take a slow reader's silence for the stream's", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const sink = new RecordingSink();
    sink.wait = promise;
    const { ended } = relay(
      { runStream: streamOf([[partial(1, "a")], [end(2)]]), record: () => ({ ...record, status: "succeeded" }) },
      { sink },
    );
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sink.seen).toEqual(["a", "flush"]);
    sink.wait = undefined;
    resolve();
    expect(await ended).toMatchObject({ kind: "end", status: "succeeded" });
    expect(sink.seen).toEqual(["a", "flush", "flush"]);
  });

  it.each(["STORE_UNAVAILABLE", "SERVICE_TIMEOUT"] as const)(
    "reads the run from the store until its record has ended if its stream fails with %s",
    async (reason) => {
      const history = [stored(5, "question", "user"), stored(6, "first")];
      let status: RunRecord["status"] = "running";
      const { sink, ended } = relay({
        runStream: failing(new PlatformError(reason, "No answer.")),
        history,
        record: () => ({ ...record, status }),
      });
      await vi.advanceTimersByTimeAsync(10_000);
      expect(sink.seen.filter((seen) => seen !== "flush")).toEqual(["resync", "first"]);
      history.push(stored(7, "last"));
      status = "succeeded";
      await vi.advanceTimersByTimeAsync(1_000);
      expect(await ended).toEqual({ status: "succeeded" });
      expect(sink.seen.filter((seen) => seen !== "flush")).toEqual(["resync", "first", "last"]);
    },
  );

  it("stops polling the store when the reader of a run without a stream has left", async () => {
    let looks = 0;
    const { controller, ended } = relay({
      runStream: failing(new PlatformError("STORE_UNAVAILABLE", "Redis is unavailable.")),
      record: () => {
        looks += 1;
        return record;
      },
    });
    await vi.advanceTimersByTimeAsync(0);
    controller.abort();
    expect(await ended).toBeUndefined();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(looks).toBe(1);
  });

  it("fails for any other fault of the stream, and for a deleted run", async () => {
    const wrong = relay({ runStream: failing(new PlatformError("INVALID_CURSOR", "Not this run's.")) });
    await expect(wrong.ended).rejects.toMatchObject({ reason: "INVALID_CURSOR" });
    const away = failing(new PlatformError("STORE_UNAVAILABLE", "Redis is unavailable."));
    const gone = relay({ runStream: away, record: () => undefined });
    await expect(gone.ended).rejects.toMatchObject({ reason: "RUN_NOT_FOUND" });
  });

  it("stops without an end when the reader has left", async () => {
    const { controller, ended, sink } = relay({ runStream: streamOf([[partial(1, "a")]], { open: true }) });
    await vi.advanceTimersByTimeAsync(0);
    controller.abort();
    expect(await ended).toBeUndefined();
    expect(sink.seen).toEqual(["a", "flush"]);
  });
});

describe("a cursor", () => {
  // A run of three attempts, the last of which has the epoch 7: its stream has the epochs 5, 6 and 7.
  it.each([
    ["4.9", false],
    ["5.1", true],
    ["6.3", true],
    ["7.99", true],
    ["8.1", false],
  ])("%s of a run's stream is accepted: %s", (cursor, isAccepted) => {
    const check = () => checkRunCursor(cursor, { ...record, epoch: 7, attempts: 3 });
    if (isAccepted) expect(check()).toBeUndefined();
    else expect(check).toThrow(expect.objectContaining({ reason: "INVALID_CURSOR", details: { cursor } }));
  });
});
