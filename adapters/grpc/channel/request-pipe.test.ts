import { EventEmitter } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { RequestPipe, type RequestPipeOptions } from "./request-pipe.ts";

const TIMEOUT_MS = 5_000;
const KIB = 1024;

/** A stream whose other end is the test. */
class FakeCall extends EventEmitter {
  /** The numbers in each message. */
  readonly written: number[][] = [];
  full = false;
  ended = false;

  write({ requests }: { requests: readonly { number: number }[] }): boolean {
    this.written.push(requests.map(({ number }) => number));
    return !this.full;
  }

  end(): void {
    this.ended = true;
  }

  cancel(): void {
    this.emit("error", new Error("cancelled"));
  }

  /** Sends one message with the answers. */
  answer(...answers: readonly (number | { number: number; more: boolean })[]): void {
    this.emit("data", {
      answers: answers.map((answer) => (typeof answer === "number" ? { number: answer, more: false } : answer)),
    });
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
  // The pipe uses only the members of a call that the fake has.
  const options = { name: "session", open, clock, timeoutMs: TIMEOUT_MS, maxAgeMs: 300_000 };
  const pipe = new RequestPipe(options as unknown as RequestPipeOptions<object, { number: number }>);
  /** The numbers of the answers. */
  const ask = async (bytes = 1) =>
    (await pipe.ask({ path: "/Service/Method", request: {}, bytes }))?.map(({ number }) => number);
  return { calls, clock, ask, pipe };
}

/** The collected requests are sent at the end of the turn of the event loop. */
function turnEnd(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe("RequestPipe", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("sends what one turn of the event loop asks in one message, and gives each its own answer in whatever order", async () => {
    const { calls, ask } = startPipe();
    const asked = [ask(), ask(), ask()];
    await turnEnd();
    expect(calls.map(({ written }) => written)).toEqual([[[1, 2, 3]]]);
    calls[0]?.answer(3, 1);
    calls[0]?.answer(2);
    expect(await Promise.all(asked)).toEqual([[1], [2], [3]]);
  });

  it("sends no more in a message than fits", async () => {
    const { calls, ask } = startPipe();
    const asked = [400, 400, 400, 2000].map((size) => ask(size * KIB));
    for (let turn = 0; turn < 3; turn += 1) await turnEnd();
    expect(calls[0]?.written).toEqual([[1, 2], [3], [4]]);
    calls[0]?.answer(1, 2, 3, 4);
    await Promise.all(asked);
  });

  it("gathers an answer of several messages", async () => {
    const { calls, ask } = startPipe();
    const asked = [ask(), ask()];
    await turnEnd();
    calls[0]?.answer({ number: 1, more: true }, 2);
    calls[0]?.answer({ number: 1, more: true });
    calls[0]?.answer(1);
    expect(await Promise.all(asked)).toEqual([[1, 1, 1], [2]]);
  });

  it("says of what is unanswered that its outcome is unknown when the stream breaks, and opens another", async () => {
    const { calls, ask } = startPipe();
    const asked = [ask(), ask(), ask()];
    await turnEnd();
    calls[0]?.answer(2, { number: 3, more: true });
    calls[0]?.emit("error", new Error("gone"));
    expect(await Promise.all(asked)).toEqual([undefined, [2], undefined]);
    const next = ask();
    await turnEnd();
    calls[1]?.answer(1);
    expect([await next, calls.length]).toEqual([[1], 2]);
  });

  it("gives up what is not answered in time, and ignores an answer that comes later", async () => {
    const { calls, ask } = startPipe();
    const late = ask().catch((error: unknown) => error);
    await turnEnd();
    vi.advanceTimersByTime(TIMEOUT_MS);
    expect(await late).toMatchObject({ reason: "SERVICE_TIMEOUT" });
    calls[0]?.answer(1);
    const next = ask();
    await turnEnd();
    calls[0]?.answer(2);
    expect(await next).toEqual([2]);
  });

  it("waits while the service takes no more, and does not send what was given up meanwhile", async () => {
    const { calls, ask } = startPipe();
    const first = ask();
    const [call] = calls;
    if (call === undefined) throw new Error("No stream was opened.");
    call.full = true;
    await turnEnd();
    const late = ask().catch((error: unknown) => error);
    vi.advanceTimersByTime(TIMEOUT_MS - 1);
    const others = [ask(), ask()];
    call.answer(1);
    await first;
    vi.advanceTimersByTime(1);
    await late;
    await turnEnd();
    expect(call.written).toEqual([[1]]);
    call.full = false;
    call.emit("drain");
    await expect.poll(() => call.written).toEqual([[1], [3, 4]]);
    call.answer(4, 3);
    expect(await Promise.all(others)).toEqual([[3], [4]]);
  });

  it("moves to a new stream when the stream is old, and still takes the answers of the old one", async () => {
    const { calls, clock, ask } = startPipe();
    const old = ask();
    clock.advance(300_001);
    const fresh = ask();
    for (let turn = 0; turn < 3; turn += 1) await turnEnd();
    expect(calls.map(({ ended, written }) => ({ ended, written }))).toEqual([
      { ended: true, written: [[1]] },
      { ended: false, written: [[1]] },
    ]);
    calls[1]?.answer(1);
    calls[0]?.answer(1);
    expect(await Promise.all([old, fresh])).toEqual([[1], [1]]);
  });

  it("leaves nobody waiting when it is closed", async () => {
    const { ask, pipe } = startPipe();
    const waiting = ask();
    await pipe[Symbol.asyncDispose]();
    expect(await waiting).toBeUndefined();
  });
});
