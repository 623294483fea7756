import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Pauses } from "./pauses.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe("Pauses", () => {
  it("lasts as long as asked, one after another", async () => {
    using pauses = new Pauses(10, new AbortController().signal);
    const ended: number[] = [];
    const started = Date.now();
    const all = (async () => {
      for (let count = 0; count < 2; count += 1) {
        await pauses.next();
        ended.push(Date.now() - started);
      }
    })();
    await vi.advanceTimersByTimeAsync(25);
    await all;
    expect(ended).toEqual([10, 20]);
  });

  it("rejects when the signal aborts, then and later, and leaves no timer", async () => {
    const controller = new AbortController();
    const reason = new Error("cancelled");
    using pauses = new Pauses(10, controller.signal);
    const pause = pauses.next();
    controller.abort(reason);
    await expect(pause).rejects.toBe(reason);
    expect(() => pauses.next()).toThrow(reason);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("leaves no timer when its user ends it", () => {
    const pauses = new Pauses(10, new AbortController().signal);
    void pauses.next();
    pauses[Symbol.dispose]();
    expect(vi.getTimerCount()).toBe(0);
  });
});
