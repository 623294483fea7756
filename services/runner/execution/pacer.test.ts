import { describe, expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { Pacer } from "./pacer.ts";

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

function createPacer() {
  const clock = new FixedClock();
  return { clock, pacer: new Pacer(clock) };
}

describe("Pacer", () => {
  it("yields the event loop after 64 events without a wait", async () => {
    const { pacer } = createPacer();
    expect(pacer.step(63)).toBeUndefined();
    let hasTurned = false;
    setImmediate(() => {
      hasTurned = true;
    });
    await pacer.step(1);
    expect(hasTurned).toBe(true);
    expect(pacer.step(63)).toBeUndefined();
  });

  it("yields the event loop after 5 ms without a wait", async () => {
    const { clock, pacer } = createPacer();
    clock.advance(4);
    expect(pacer.step(1)).toBeUndefined();
    clock.advance(1);
    await Promise.resolve();
    const pause = pacer.step(1);
    expect(pause).toBeInstanceOf(Promise);
    await pause;
    expect(pacer.step(1)).toBeUndefined();
  });

  it("does not yield for a run that has waited itself", async () => {
    const { clock, pacer } = createPacer();
    clock.advance(10);
    await nextTurn();
    expect(pacer.step(1)).toBeUndefined();
    clock.advance(4);
    expect(pacer.step(1)).toBeUndefined();
    clock.advance(1);
    expect(pacer.step(1)).toBeInstanceOf(Promise);
  });
});
