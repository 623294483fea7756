import { describe, expect, it } from "vitest";
import { whenIdle } from "./when-idle.ts";

/** Idle moments of a process whose event loop has these loads in successive measurements, and none afterwards. */
function momentsOf(shares: readonly number[], mostMs: number) {
  const left = [...shares];
  const waits: number[] = [];
  const nextIdle = whenIdle({
    mostMs,
    sleep: async (milliseconds) => void waits.push(milliseconds),
    measure: () => () => left.shift() ?? 0,
  });
  return { waits, nextIdle };
}

describe("whenIdle", () => {
  it("waits until the event loop had little to do", async () => {
    const { waits, nextIdle } = momentsOf([1, 0.6, 0.1], 1000);
    await nextIdle();
    expect(waits).toEqual([20, 20, 20]);
    await nextIdle();
    expect(waits).toEqual([20, 20, 20, 20]);
  });

  it("waits no longer than it may, all waits together", async () => {
    const { waits, nextIdle } = momentsOf(Array(100).fill(1), 60);
    await nextIdle();
    await nextIdle();
    expect(waits).toEqual([20, 20, 20]);
  });

  it("reads the load of this process", async () => {
    await expect(whenIdle({ mostMs: 40 })()).resolves.toBeUndefined();
  });
});
