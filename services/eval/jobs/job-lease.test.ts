import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { silentLogger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { TabularEvalJobStore } from "#ports/evaluation-jobs/tabular-eval-job-store.ts";
import { InMemoryRowTable } from "#ports/rows/in-memory-row-table.ts";
import { newEvalJob } from "#test/contract/evaluations/eval-job-world.ts";
import { JobLease } from "./job-lease.ts";

const LEASE_MS = 6000;

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

async function hold() {
  const clock = new FixedClock();
  const store = new TabularEvalJobStore({ table: new InMemoryRowTable(), clock });
  await store.create(newEvalJob("j1"));
  const claim = (holder: string) => store.claim({ jobId: "j1" }, { holder, leaseMs: LEASE_MS });
  const claimed = (await claim("one")) ?? expect.unreachable();
  const events: string[] = [];
  const deps = { evalJobStore: store, clock, logger: silentLogger, config: { EVAL_LEASE_MS: LEASE_MS } };
  const lease = new JobLease(deps, {
    claimed,
    onCancel: () => void events.push("cancelled"),
    onLost: ({ reason }) => void events.push(reason),
  });
  /** Lets the time pass, in which the lease looks at its job. */
  const pass = async (ms: number): Promise<void> => {
    for (let at = 0; at < ms; at += 100) {
      clock.advance(100);
      await vi.advanceTimersByTimeAsync(100);
    }
  };
  return { store, clock, claim, lease, events, pass };
}

it("is renewed as long as it is held, also after a renewal that failed, and leaves no timer", async () => {
  const { store, claim, lease, events, pass } = await hold();
  const renew = vi.spyOn(store, "renew").mockRejectedValueOnce(new Error("down"));
  await pass(3 * LEASE_MS);
  expect(await claim("two")).toBeUndefined();
  expect(renew.mock.calls.length).toBeGreaterThan(5);
  expect(() => lease.assertUsable()).not.toThrow();
  expect(events).toEqual([]);
  lease[Symbol.dispose]();
  expect(vi.getTimerCount()).toBe(0);
  await pass(LEASE_MS);
  expect(await claim("two")).toMatchObject({ lease: { holder: "two" } });
});

it("reports a cancellation within a second", async () => {
  const { store, events, pass } = await hold();
  await store.cancel({ jobId: "j1" });
  await pass(1000);
  expect(events).toContain("cancelled");
});

it("is lost, once, when its job was deleted, and when it could not be renewed in time", async () => {
  const { store, events, lease, clock } = await hold();
  vi.spyOn(store, "renew").mockRejectedValue(new Error("down"));
  vi.spyOn(store, "get").mockRejectedValue(new Error("down"));
  clock.advance(LEASE_MS * 0.9);
  await vi.advanceTimersByTimeAsync(1000);
  expect(events).toEqual([]);
  clock.advance(1);
  expect(() => lease.assertUsable()).toThrow(expect.objectContaining({ reason: "LEASE_LOST" }));
  await vi.advanceTimersByTimeAsync(10_000);
  expect([events, vi.getTimerCount()]).toEqual([["LEASE_LOST"], 0]);
});
