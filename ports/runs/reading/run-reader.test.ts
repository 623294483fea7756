import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { batch, end, event, RunWorld, value } from "#test/helpers/worlds/run-reader-world.ts";
import type { RunReader } from "./run-reader.ts";

const RESYNC = { kind: "resync" };

/** A reader that has seen the first entry. */
async function openAfterFirst(world: RunWorld): Promise<RunReader> {
  world.publish([event(1)]);
  const reader = world.open();
  expect(await value(reader.next())).toEqual([event(1)]);
  return reader;
}

describe("between log and channel", () => {
  it("loses and doubles nothing of what is published while the log is read", async () => {
    const world = new RunWorld();
    world.keep([event(1)]);
    world.beforeAnswer = () => {
      world.beforeAnswer = undefined;
      world.publish([event(2), end(3)]);
    };
    const reader = world.open();
    expect(await value(reader.next())).toEqual([event(1)]);
    expect(await value(reader.next())).toEqual([event(2), end(3)]);
    expect(await reader.next()).toEqual({ done: true, value: undefined });
    expect(world.reads).toHaveLength(1);
  });

  it("drops what the log has given already", async () => {
    const world = new RunWorld();
    const reader = await openAfterFirst(world);
    const [listener] = world.listeners;
    listener?.receive(batch([event(1)]));
    listener?.receive({ ...batch([event(1), event(2)]), after: { epoch: 1, n: 1 } });
    expect(await value(reader.next())).toEqual([event(2)]);
  });

  it("reads a long log page by page", async () => {
    const world = new RunWorld();
    world.pageBatches = 2;
    for (const n of [1, 2, 3, 4]) world.keep([event(n)]);
    const reader = world.open();
    expect(await value(reader.next())).toEqual([event(1), event(2)]);
    expect(await value(reader.next())).toEqual([event(3), event(4)]);
    const next = reader.next();
    await Promise.resolve();
    world.publish([end(5)]);
    expect(await value(next)).toEqual([end(5)]);
  });
});

describe("a message that is lost", () => {
  it("is read from the log when the next one shows the gap", async () => {
    const world = new RunWorld();
    const reader = await openAfterFirst(world);
    world.keep([event(2)]);
    world.publish([event(3)]);
    expect(await value(reader.next())).toEqual([event(2), event(3)]);
    expect(world.reads).toEqual([undefined, { epoch: 1, n: 1 }]);
  });

  it("is a resync when the log has it no more", async () => {
    const world = new RunWorld();
    const reader = await openAfterFirst(world);
    world.keep([event(2)]);
    world.kept.length = 0;
    world.publish([event(3)]);
    expect(await value(reader.next())).toEqual([RESYNC, event(3)]);
  });

  it("is found without a next one by a reader that hears nothing for two checks", async () => {
    const world = new RunWorld();
    const reader = await openAfterFirst(world);
    const next = reader.next();
    world.keep([end(2)]);
    reader.check();
    expect(world.reads).toHaveLength(1);
    reader.check();
    expect(await value(next)).toEqual([end(2)]);
  });

  it("is looked for when the connection was lost", async () => {
    const world = new RunWorld();
    const reader = await openAfterFirst(world);
    const next = reader.next();
    world.keep([event(2), end(3)]);
    reader.lose();
    expect(await value(next)).toEqual([event(2), end(3)]);
  });
});

describe("a reader that messages do not reach", () => {
  it("reads the log again and again, what is new each time", async () => {
    const world = new RunWorld();
    world.isHeard = false;
    world.onWait = () => {
      if (world.waits === 2) world.keep([event(1)]);
      if (world.waits === 3) world.keep([event(2), end(3)]);
    };
    const reader = world.open();
    expect(await value(reader.next())).toEqual([event(1)]);
    expect(await value(reader.next())).toEqual([event(2), end(3)]);
    expect(await reader.next()).toEqual({ done: true, value: undefined });
    expect(world.reads).toEqual([undefined, undefined, undefined, { epoch: 1, n: 1 }]);
  });

  it("reads the log when messages are lost, and messages again when they arrive again", async () => {
    const world = new RunWorld();
    const reader = await openAfterFirst(world);
    const [listener] = world.listeners;
    listener?.hear(false);
    world.onWait = () => {
      if (world.waits === 1) world.keep([event(2)]);
      if (world.waits === 2) listener?.hear(true);
    };
    expect(await value(reader.next())).toEqual([event(2)]);
    const next = reader.next();
    await new Promise((resolve) => setImmediate(resolve));
    world.publish([end(3)]);
    expect(await value(next)).toEqual([end(3)]);
    expect([world.waits, world.reads.length]).toEqual([2, 4]);
  });
});

describe("a slow reader", () => {
  it.each([
    ["many messages", 300, 1],
    ["large messages", 10, 200_000],
  ])("drops %s and continues from the log", async (_, count, characters) => {
    const world = new RunWorld();
    world.pageBatches = 1000;
    const reader = await openAfterFirst(world);
    const expected = Array.from({ length: count }, (_, index) => event(index + 2));
    for (const entry of expected) world.publish([entry], { characters });
    expect(await value(reader.next())).toEqual(expected);
    expect(world.reads).toEqual([undefined, { epoch: 1, n: 1 }]);
  });

  it("gets a resync when the log was trimmed meanwhile", async () => {
    const world = new RunWorld();
    const reader = await openAfterFirst(world);
    for (let n = 2; n <= 300; n += 1) world.publish([event(n)]);
    world.kept.splice(0, 297);
    expect(await value(reader.next())).toEqual([RESYNC, event(298), event(299), event(300)]);
  });
});

describe("a log that is lost", () => {
  it("is one resync for a reader that had begun", async () => {
    const world = new RunWorld();
    const reader = await openAfterFirst(world);
    world.kept.length = 0;
    world.newest = undefined;
    reader.lose();
    expect(await value(reader.next())).toEqual([RESYNC]);
    const next = reader.next();
    reader.lose();
    await new Promise((resolve) => setImmediate(resolve));
    world.publish([event(2)]);
    expect(await value(next)).toEqual([event(2)]);
  });

  it("is a resync and the end when only the run's head is left", async () => {
    const world = new RunWorld();
    world.log.read = async () => ({ batches: [], isFull: false, newest: { epoch: 1, n: 5 }, ended: true });
    const reader = world.open("1.2");
    expect(await value(reader.next())).toEqual([RESYNC]);
    expect(await reader.next()).toEqual({ done: true, value: undefined });
  });
});

describe("a failing log", () => {
  const failure = new PlatformError("STORE_UNAVAILABLE", "unavailable");

  it("fails a reader that begins, which leaves its channel", async () => {
    const world = new RunWorld();
    world.failure = failure;
    await expect(world.open().next()).rejects.toBe(failure);
    expect(world.listeners.size).toBe(0);
  });

  it("is an immediate resync for a reader that had begun, which tries again after a pause", async () => {
    const world = new RunWorld();
    const reader = await openAfterFirst(world);
    world.keep([end(2)]);
    world.failure = failure;
    reader.lose();
    expect(await value(reader.next())).toEqual([RESYNC]);
    expect(world.waits).toBe(0);
    expect(await value(reader.next())).toEqual([end(2)]);
    expect(world.waits).toBe(1);
  });
});

describe("a reader that leaves", () => {
  it("gives up its channel and its signal, in the middle of a read of the log too", async () => {
    const world = new RunWorld();
    const controller = new AbortController();
    world.log.read = () => new Promise(() => {});
    const next = world.open(undefined, controller.signal).next();
    await new Promise((resolve) => setImmediate(resolve));
    expect(world.listeners.size).toBe(1);
    controller.abort();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(world.listeners.size).toBe(0);
  });

  it.each([
    ["by its own will", (reader: RunReader) => reader.return()],
    ["at the end of the run", (reader: RunReader) => reader.next()],
  ])("leaves no listener on its signal (%s)", async (_, leave) => {
    const world = new RunWorld();
    const { signal } = new AbortController();
    world.publish([event(1), end(2)]);
    const reader = world.open(undefined, signal);
    await reader.next();
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    await leave(reader);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("refuses a second read while one is pending", async () => {
    const world = new RunWorld();
    const reader = world.open();
    const next = reader.next();
    await expect(reader.next()).rejects.toThrow("one batch at a time");
    world.publish([end(1)]);
    expect(await value(next)).toEqual([end(1)]);
  });
});
