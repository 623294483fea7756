import { describe, expect, it, vi } from "vitest";
import { end, event, RunWorld, value } from "#test/helpers/worlds/run-reader-world.ts";
import type { ExpectedRun } from "./expected-run.ts";

describe("a run that was expected", () => {
  const NEVER = new AbortController().signal;

  it("is followed from its first batch without reading the log", async () => {
    const world = new RunWorld();
    const expected = world.expectRun();
    expected.hear(true);
    world.publish([event(1)]);
    const reader = world.open(undefined, NEVER, expected);
    const first = await value(reader.next());
    const second = value(reader.next());
    world.publish([end(2)]);
    expect({ first, second: await second, reads: world.reads }).toEqual({
      first: [event(1)],
      second: [end(2)],
      reads: [],
    });
    expect([...world.listeners]).toEqual([reader]);
  });

  it("is read from the log if its first batch was published before the subscription", async () => {
    const world = new RunWorld();
    const expected = world.expectRun();
    expected.hear(true);
    world.keep([event(1)]);
    world.publish([event(2)]);
    const reader = world.open(undefined, NEVER, expected);
    expect({ entries: await value(reader.next()), reads: world.reads }).toEqual({
      entries: [event(1), event(2)],
      reads: [undefined],
    });
  });

  it("is read from the log if no message has arrived within a second", async () => {
    vi.useFakeTimers();
    try {
      const world = new RunWorld();
      const expected = world.expectRun();
      expected.hear(true);
      const reader = world.open(undefined, NEVER, expected);
      const entries = value(reader.next());
      await vi.advanceTimersByTimeAsync(999);
      const before = world.reads.length;
      world.keep([event(1), end(2)]);
      await vi.advanceTimersByTimeAsync(1);
      expect({ before, entries: await entries }).toEqual({ before: 0, entries: [event(1), end(2)] });
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([
    ["the subscription is not confirmed before the run's start is answered", () => {}],
    [
      "the connection was lost",
      (expected: ExpectedRun) => {
        expected.hear(true);
        expected.hear(false);
      },
    ],
    [
      "a message could not be read",
      (expected: ExpectedRun) => {
        expected.hear(true);
        expected.lose();
      },
    ],
    [
      "more batches arrived than are kept",
      (expected: ExpectedRun, world: RunWorld) => {
        expected.hear(true);
        for (let n = 2; n < 300; n += 1) world.publish([event(n)]);
      },
    ],
  ])("is read from the log if %s", async (_, happen) => {
    const world = new RunWorld();
    world.pageBatches = 1000;
    const expected = world.expectRun();
    world.publish([event(1)]);
    happen(expected, world);
    await value(world.open(undefined, NEVER, expected).next());
    expect(world.reads).toEqual([undefined]);
  });

  it("is left at the second check if nobody reads it", () => {
    const world = new RunWorld();
    const expected = world.expectRun();
    expected.check();
    const afterOne = world.listeners.size;
    expected.check();
    expect([afterOne, world.listeners.size]).toEqual([1, 0]);
  });
});
