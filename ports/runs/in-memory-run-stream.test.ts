import { describe, expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryRunStream, type InMemoryRunStreamOptions } from "./in-memory-run-stream.ts";
import { type EndEntry, type EventEntry, FOLLOWED_RUN_BYTES, type RunStreamEntry } from "./run-stream.ts";

const KIBIBYTE = 1024;
const RESYNC = { kind: "resync" };

function createStream(options: Partial<InMemoryRunStreamOptions> = {}) {
  const clock = new FixedClock();
  return { clock, stream: new InMemoryRunStream({ clock, ...options }) };
}

function event(n: number, characters = 10): EventEntry {
  return { kind: "event", epoch: 1, n, eventId: `e-${n}`, json: "x".repeat(characters), partial: true };
}

function end(n: number): EndEntry {
  return { kind: "end", epoch: 1, n, status: "succeeded" };
}

function open(stream: InMemoryRunStream, runId: string, signal = new AbortController().signal) {
  return stream.subscribe(runId, { signal })[Symbol.asyncIterator]();
}

async function readAll(stream: InMemoryRunStream, runId: string, after?: string): Promise<readonly RunStreamEntry[]> {
  const entries: RunStreamEntry[] = [];
  const { signal } = new AbortController();
  for await (const batch of stream.subscribe(runId, { signal, ...(after && { after }) })) entries.push(...batch);
  return entries;
}

/** Lets microtasks that are due run, and those that they start. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("batches", () => {
  it("hands over in one batch what was published in one turn", async () => {
    const { stream } = createStream();
    const reader = open(stream, "r");
    const first = reader.next();
    await Promise.all([
      stream.publish("r", [event(1)]),
      stream.publish("r", [event(2), event(3)]),
      stream.publish("r", [end(4)]),
    ]);
    expect(await first).toEqual({ done: false, value: [event(1), event(2), event(3), end(4)] });
  });

  it("hands over in one batch what piled up while the reader was busy", async () => {
    const { stream } = createStream();
    const reader = open(stream, "r");
    await stream.publish("r", [event(1)]);
    expect(await reader.next()).toEqual({ done: false, value: [event(1)] });
    for (const n of [2, 3, 4]) await stream.publish("r", [event(n)]);
    expect(await reader.next()).toEqual({ done: false, value: [event(2), event(3), event(4)] });
  });

  it("hands over so many entries at a time that a reader which stalls keeps little", async () => {
    const { stream } = createStream();
    for (let n = 1; n <= 10; n += 1) await stream.publish("r", [event(n, 100 * KIBIBYTE)]);
    await stream.publish("r", [end(11)]);
    const sizes: number[] = [];
    for await (const batch of stream.subscribe("r", { signal: new AbortController().signal })) sizes.push(batch.length);
    expect(sizes).toEqual([2, 2, 2, 2, 3]);
  });

  it("refuses a second read while one is pending", async () => {
    const { stream } = createStream();
    const reader = open(stream, "r");
    const first = reader.next();
    await expect(reader.next()).rejects.toThrow("one batch at a time");
    await stream.publish("r", [end(1)]);
    expect(await first).toEqual({ done: false, value: [end(1)] });
  });
});

describe("bounds of one run", () => {
  it("drops the oldest entries and reports that to a reader who needed them", async () => {
    const { stream } = createStream({ maxBytesPerRun: 10 * KIBIBYTE });
    for (let n = 1; n <= 100; n += 1) await stream.publish("r", [event(n, KIBIBYTE)]);
    await stream.publish("r", [end(101)]);
    expect(stream.bytes).toBeLessThanOrEqual(10 * KIBIBYTE);
    const entries = await readAll(stream, "r");
    expect(entries[0]).toEqual(RESYNC);
    expect(entries.slice(1)).toEqual([...[93, 94, 95, 96, 97, 98, 99, 100].map((n) => event(n, KIBIBYTE)), end(101)]);
  });

  it("keeps nothing of a followed run that nobody else reads, but its end", async () => {
    const { stream } = createStream();
    await stream.publish("r", [event(1)], { isFollowed: true });
    const empty = stream.bytes;
    for (let n = 2; n <= 20; n += 1) await stream.publish("r", [event(n, KIBIBYTE)], { isFollowed: true });
    expect(stream.bytes).toBe(empty);
    const [late, cursor] = [readAll(stream, "r"), readAll(stream, "r", "1.20")];
    await settle();
    await stream.publish("r", [event(21)], { isFollowed: true });
    await stream.publish("r", [end(22)], { isFollowed: true });
    expect(await late).toEqual([RESYNC, event(21), end(22)]);
    expect(await cursor).toEqual([event(21), end(22)]);
    expect(await readAll(stream, "r")).toEqual([RESYNC, event(21), end(22)]);
  });

  it("keeps a quarter megabyte of a followed run for a slow reader, and no more than the limit", async () => {
    for (const maxBytesPerRun of [4096 * KIBIBYTE, 10 * KIBIBYTE]) {
      const { stream } = createStream({ maxBytesPerRun });
      const reader = stream.subscribe("r", { signal: new AbortController().signal })[Symbol.asyncIterator]();
      const first = reader.next();
      for (let n = 1; n <= 600; n += 1) await stream.publish("r", [event(n, KIBIBYTE)], { isFollowed: true });
      const limit = Math.min(FOLLOWED_RUN_BYTES, maxBytesPerRun);
      expect(stream.bytes).toBeLessThanOrEqual(limit);
      expect(stream.bytes).toBeGreaterThan(limit / 2);
      expect((await first).done).toBe(false);
      await reader.return?.();
    }
  });

  it("lets a slow reader continue with what is kept, after a resync", async () => {
    const { stream } = createStream({ maxBytesPerRun: 4 * KIBIBYTE });
    const reader = open(stream, "r");
    await stream.publish("r", [event(1)]);
    expect(await reader.next()).toEqual({ done: false, value: [event(1)] });
    for (let n = 2; n <= 1000; n += 1) await stream.publish("r", [event(n, KIBIBYTE)]);
    expect(await reader.next()).toEqual({
      done: false,
      value: [RESYNC, event(998, KIBIBYTE), event(999, KIBIBYTE), event(1000, KIBIBYTE)],
    });
    await stream.publish("r", [end(1001)]);
    expect(await reader.next()).toEqual({ done: false, value: [end(1001)] });
    expect(await reader.next()).toEqual({ done: true, value: undefined });
  });

  it("still delivers a single entry that is over the limit", async () => {
    const { stream } = createStream({ maxBytesPerRun: KIBIBYTE });
    const reader = open(stream, "r");
    const first = reader.next();
    await stream.publish("r", [event(1, 5 * KIBIBYTE)]);
    expect(await first).toEqual({ done: false, value: [event(1, 5 * KIBIBYTE)] });
  });

  it("answers a cursor that points at dropped entries with a resync, and a later one without", async () => {
    const { stream } = createStream({ maxBytesPerRun: 4 * KIBIBYTE });
    for (let n = 1; n <= 9; n += 1) await stream.publish("r", [event(n, KIBIBYTE)]);
    const after = async (cursor: string) => {
      const options = { after: cursor, signal: new AbortController().signal };
      return (await stream.subscribe("r", options)[Symbol.asyncIterator]().next()).value;
    };
    expect(await after("1.2")).toEqual([RESYNC, event(7, KIBIBYTE), event(8, KIBIBYTE), event(9, KIBIBYTE)]);
    expect(await after("1.6")).toEqual([event(7, KIBIBYTE), event(8, KIBIBYTE), event(9, KIBIBYTE)]);
  });
});

describe("finished runs", () => {
  it("are kept for their time and then forgotten", async () => {
    const { stream, clock } = createStream({ finishedTtlMs: 1000 });
    await stream.publish("r", [event(1), end(2)]);
    clock.advance(999);
    expect(await readAll(stream, "r")).toEqual([event(1), end(2)]);
    clock.advance(1);
    await stream.publish("other", [end(1)]);
    expect(stream.size).toBe(1);
  });

  it("are forgotten in the order of their end, and are kept no longer for what is published behind it", async () => {
    const { stream, clock } = createStream({ finishedTtlMs: 1000 });
    await stream.publish("first", [end(1)]);
    clock.advance(600);
    await stream.publish("first", [event(2)]);
    await stream.publish("second", [end(1)]);
    clock.advance(400);
    await stream.publish("other", [event(1)]);
    expect(stream.size).toBe(2);
    expect(await readAll(stream, "second")).toEqual([end(1)]);
  });

  it("are forgotten by a reader that comes too late, who then waits", async () => {
    const { stream, clock } = createStream({ finishedTtlMs: 1000 });
    await stream.publish("r", [end(1)]);
    clock.advance(1000);
    const controller = new AbortController();
    const late = open(stream, "r", controller.signal).next();
    controller.abort();
    expect(await late).toEqual({ done: true, value: undefined });
    expect({ size: stream.size, bytes: stream.bytes }).toEqual({ size: 0, bytes: 0 });
  });

  it("go first, the oldest of them before the others, when the total is over its limit", async () => {
    const { stream } = createStream({ maxBytes: 16 * KIBIBYTE });
    await stream.publish("running", [event(1, 4 * KIBIBYTE)]);
    for (const run of ["a", "b", "c"]) await stream.publish(run, [event(1, 4 * KIBIBYTE), end(2)]);
    expect(stream.bytes).toBeLessThanOrEqual(16 * KIBIBYTE);
    expect(await readAll(stream, "c")).toEqual([event(1, 4 * KIBIBYTE), end(2)]);
    expect((await open(stream, "running").next()).value).toEqual([event(1, 4 * KIBIBYTE)]);
    expect(stream.size).toBe(2);
  });

  it("without readers are dropped over their own limit, the oldest first", async () => {
    const { stream } = createStream({ maxFinishedBytes: 16 * KIBIBYTE });
    await stream.publish("running", [event(1, 32 * KIBIBYTE)]);
    const reader = open(stream, "read");
    await stream.publish("read", [event(1, 4 * KIBIBYTE)]);
    await reader.next();
    await stream.publish("read", [event(2), end(3)]);
    for (const run of ["a", "b", "c"]) await stream.publish(run, [event(1, 4 * KIBIBYTE), end(2)]);
    // "a" is dropped, and "b" for the room that the next ones get.
    expect(stream.size).toBe(3);
    expect(await readAll(stream, "c")).toEqual([event(1, 4 * KIBIBYTE), end(2)]);
    expect((await open(stream, "running").next()).value).toEqual([event(1, 32 * KIBIBYTE)]);
    expect(await reader.next()).toEqual({ done: false, value: [event(2), end(3)] });
  });

  it("are dropped over that limit when their last reader has ended", async () => {
    const { stream } = createStream({ maxFinishedBytes: 4 * KIBIBYTE });
    const reader = open(stream, "read");
    await stream.publish("read", [event(1, 3 * KIBIBYTE)]);
    await reader.next();
    await stream.publish("read", [end(2)]);
    await reader.return?.();
    await stream.publish("next", [event(1, KIBIBYTE), end(2)]);
    expect(stream.size).toBe(1);
  });

  it("give a reader in the middle of them a resync and the end when they are dropped", async () => {
    const { stream, clock } = createStream({ finishedTtlMs: 1000 });
    const reader = open(stream, "r");
    await stream.publish("r", [event(1)]);
    await reader.next();
    await stream.publish("r", [event(2), end(3)]);
    clock.advance(1000);
    await stream.publish("other", [end(1)]);
    expect(await reader.next()).toEqual({ done: false, value: [RESYNC, end(3)] });
    expect(await reader.next()).toEqual({ done: true, value: undefined });
  });
});

describe("the total of all runs", () => {
  it("trims the oldest running logs once no finished run is left", async () => {
    const { stream } = createStream({ maxBytes: 32 * KIBIBYTE });
    for (let n = 1; n <= 8; n += 1) await stream.publish("old", [event(n, 2 * KIBIBYTE)]);
    for (let n = 1; n <= 8; n += 1) await stream.publish("new", [event(n, 2 * KIBIBYTE)]);
    // Two logs, and the entries that are left: 160 bytes more than their JSON each.
    expect(stream.bytes).toBe(2 * 512 + 13 * (2 * KIBIBYTE + 160));
    expect((await open(stream, "old").next()).value).toEqual([
      RESYNC,
      ...[4, 5, 6, 7, 8].map((n) => event(n, 2 * KIBIBYTE)),
    ]);
    expect((await open(stream, "new").next()).value).toEqual(
      [1, 2, 3, 4, 5, 6, 7, 8].map((n) => event(n, 2 * KIBIBYTE)),
    );
  });

  it("stays within its limit whatever is published", async () => {
    const { stream, clock } = createStream({ maxBytes: 64 * KIBIBYTE, maxBytesPerRun: 16 * KIBIBYTE });
    for (let step = 0; step < 1000; step += 1) {
      const n = Math.floor(step / 100) + 1;
      await stream.publish(`run-${step % 100}`, [step % 7 === 0 ? end(n) : event(n, (step * 37) % 3000)]);
      clock.advance(10);
      expect(stream.bytes).toBeLessThanOrEqual(64 * KIBIBYTE);
    }
  });

  it("is not trimmed before it is over its limit", async () => {
    const { stream } = createStream({ maxBytes: 16 * KIBIBYTE });
    await stream.publish("r", [event(1, 7 * KIBIBYTE), event(2, 8 * KIBIBYTE), end(3)]);
    expect(stream.bytes).toBe(15 * KIBIBYTE + 512 + 3 * 160);
  });

  it("does not count a publish without entries", async () => {
    const { stream } = createStream();
    await stream.publish("r", []);
    expect([stream.size, stream.bytes]).toEqual([0, 0]);
  });

  it("keeps the log of an active run without readers for an hour", async () => {
    const { stream, clock } = createStream();
    await stream.publish("r", [event(1)]);
    clock.advance(60 * 60 * 1000 - 1);
    await stream.publish("other", [event(1)]);
    expect(stream.size).toBe(2);
  });

  it("drops a run whose publisher was lost, unless it has readers", async () => {
    const { stream, clock } = createStream();
    await stream.publish("abandoned", [event(1)]);
    await stream.publish("read", [event(1)]);
    const reader = open(stream, "read");
    await reader.next();
    clock.advance(60 * 60 * 1000);
    await stream.publish("other", [event(1)]);
    expect(stream.size).toBe(2);
    await stream.publish("read", [end(2)]);
    expect(await reader.next()).toEqual({ done: false, value: [end(2)] });
  });
});

describe("readers that leave", () => {
  it("take a run that was never published to with them", async () => {
    const { stream } = createStream();
    const controller = new AbortController();
    const first = open(stream, "r", controller.signal).next();
    const second = open(stream, "r");
    const waiting = second.next();
    controller.abort();
    expect(await first).toEqual({ done: true, value: undefined });
    expect(stream.size).toBe(1);
    await second.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect({ size: stream.size, bytes: stream.bytes }).toEqual({ size: 0, bytes: 0 });
  });

  it("leave no listener on their signal", async () => {
    const { stream } = createStream();
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    const removed = new Set<unknown>();
    Object.assign(signal, {
      addEventListener: (...args: Parameters<typeof add>) => {
        listeners += 1;
        add(...args);
      },
      removeEventListener: (...args: Parameters<typeof remove>) => {
        if (!removed.has(args[1])) listeners -= 1;
        removed.add(args[1]);
        remove(...args);
      },
    });
    const reading = (async () => {
      for await (const batch of stream.subscribe("r", { signal })) expect(batch.length).toBeGreaterThan(0);
    })();
    await stream.publish("r", [event(1)]);
    await settle();
    await stream.publish("r", [event(2), end(3)]);
    await reading;
    expect(listeners).toBe(0);
  });

  it("read nothing more", async () => {
    const { stream } = createStream();
    await stream.publish("r", [event(1)]);
    const reader = open(stream, "r");
    await reader.return?.();
    expect(await reader.next()).toEqual({ done: true, value: undefined });
  });

  it("end immediately when the loop that reads them breaks", async () => {
    const { stream } = createStream();
    await stream.publish("r", [event(1)]);
    for await (const batch of stream.subscribe("r", { signal: new AbortController().signal })) {
      expect(batch).toEqual([event(1)]);
      break;
    }
    expect(stream.size).toBe(1);
  });
});

describe("a cursor given before the run is known", () => {
  it("is judged when the first entry comes", async () => {
    const { stream } = createStream();
    const options = { after: "3.7", signal: new AbortController().signal };
    const reading = stream.subscribe("r", options)[Symbol.asyncIterator]().next();
    await stream.publish("r", [event(1)]);
    await expect(reading).rejects.toMatchObject({ reason: "INVALID_CURSOR" });
  });

  it("keeps no log for a reader whose cursor was refused", async () => {
    const { stream, clock } = createStream();
    await stream.publish("r", [event(1)]);
    const options = { after: "3.7", signal: new AbortController().signal };
    const reader = stream.subscribe("r", options)[Symbol.asyncIterator]();
    await expect(reader.next()).rejects.toMatchObject({ reason: "INVALID_CURSOR" });
    clock.advance(60 * 60 * 1000);
    await stream.publish("other", [event(1)]);
    expect(stream.size).toBe(1);
  });

  it("waits for the entry behind it", async () => {
    const { stream } = createStream();
    const options = { after: "1.1", signal: new AbortController().signal };
    const reading = stream.subscribe("r", options)[Symbol.asyncIterator]().next();
    await stream.publish("r", [event(1)]);
    await settle();
    await stream.publish("r", [event(2)]);
    expect((await reading).value).toEqual([event(2)]);
  });

  it("gets a resync when the run was recovered", async () => {
    const { stream } = createStream();
    const options = { after: "1.7", signal: new AbortController().signal };
    const reading = stream.subscribe("r", options)[Symbol.asyncIterator]().next();
    await stream.publish("r", [{ kind: "attempt", epoch: 2, n: 1, attempt: 2 }]);
    expect((await reading).value).toEqual([RESYNC, { kind: "attempt", epoch: 2, n: 1, attempt: 2 }]);
  });
});
