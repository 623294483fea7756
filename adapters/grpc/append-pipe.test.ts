import { EventEmitter } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { AppendEventsRequest } from "#kit/sessions/run-journal.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { AppendPipe, type AppendPipeOptions } from "./append-pipe.ts";

const SESSION = { appName: "app", userId: "user", id: "session" };
const TIMEOUT_MS = 5_000;

/** A stream whose other end is the test. */
class FakeCall extends EventEmitter {
  readonly written: number[] = [];
  full = false;
  ended = false;

  write({ number }: { number: number }): boolean {
    this.written.push(number);
    return !this.full;
  }

  end(): void {
    this.ended = true;
  }

  cancel(): void {
    this.emit("error", new Error("cancelled"));
  }

  answer(number: number, revision = number): void {
    const lease = { runId: "run", session: SESSION, holder: "h", epoch: "1", expiresAt: { seconds: "1", nanos: 0 } };
    const appended = { lease, revision: String(revision), sequences: [], missed: [], cancelRequested: false };
    this.emit("data", { number, appended });
  }
}

function startPipe() {
  const calls: FakeCall[] = [];
  const clock = new FixedClock();
  const open = (): FakeCall => {
    const call = new FakeCall();
    calls.push(call);
    return call;
  };
  // The pipe uses no more of a call than the fake has.
  const pipe = new AppendPipe({ open, clock, timeoutMs: TIMEOUT_MS } as unknown as AppendPipeOptions);
  const lease = { runId: "run", session: SESSION, holder: "h", epoch: 1, expiresAt: 0 };
  const request: AppendEventsRequest = { lease, leaseMs: 1, afterRevision: 0, events: [] };
  return { calls, clock, append: async () => (await pipe.append(request))?.revision, pipe };
}

describe("AppendPipe", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("gives each append its own answer, in whatever order they come", async () => {
    const { calls, append } = startPipe();
    const appends = [append(), append(), append()];
    for (const number of [3, 1, 2]) calls[0]?.answer(number, number * 10);
    expect(await Promise.all(appends)).toEqual([10, 20, 30]);
    expect(calls.length).toBe(1);
  });

  it("says of unanswered appends that their outcome is unknown when the stream breaks, and opens another", async () => {
    const { calls, append } = startPipe();
    const appends = [append(), append()];
    calls[0]?.answer(2);
    calls[0]?.emit("error", new Error("gone"));
    expect(await Promise.all(appends)).toEqual([undefined, 2]);
    const next = append();
    calls[1]?.answer(1);
    expect([await next, calls.length]).toEqual([1, 2]);
  });

  it("gives up an append that is not answered in time, and ignores an answer that comes later", async () => {
    const { calls, append } = startPipe();
    const late = append().catch((error: unknown) => error);
    vi.advanceTimersByTime(TIMEOUT_MS);
    expect(await late).toMatchObject({ reason: "SERVICE_TIMEOUT" });
    calls[0]?.answer(1);
    const next = append();
    calls[0]?.answer(2);
    expect(await next).toBe(2);
  });

  it("waits while the service takes no more, and keeps the order", async () => {
    const { calls, append } = startPipe();
    const first = append();
    const [call] = calls;
    if (call === undefined) throw new Error("No stream was opened.");
    call.full = true;
    const others = [append(), append(), append()];
    expect(call.written).toEqual([1, 2]);
    call.full = false;
    call.emit("drain");
    for (const number of [1, 2]) call.answer(number);
    await first;
    await vi.waitFor(() => expect(call.written).toEqual([1, 2, 3, 4]));
    for (const number of [3, 4]) call.answer(number);
    expect(await Promise.all(others)).toEqual([2, 3, 4]);
  });

  it("moves to a new stream after five minutes, and still takes the answers of the old one", async () => {
    const { calls, clock, append } = startPipe();
    const old = append();
    clock.advance(300_001);
    const fresh = append();
    expect(calls.map(({ ended }) => ended)).toEqual([true, false]);
    calls[1]?.answer(1, 20);
    calls[0]?.answer(1, 10);
    expect(await Promise.all([old, fresh])).toEqual([10, 20]);
  });

  it("leaves nobody waiting when it is closed", async () => {
    const { append, pipe } = startPipe();
    const waiting = append();
    await pipe[Symbol.asyncDispose]();
    expect(await waiting).toBeUndefined();
  });
});
