import { expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryRunQuota } from "./in-memory-run-quota.ts";

const LIMIT = { name: "user:ada", max: 1 };
const placeOf = (id: string) => ({ id, limits: [LIMIT], leaseMs: 1000 });
const TAKEN = { kind: "taken", isSure: true };

it("keeps no place in the queue for a run that has one of its own", async () => {
  const quota = new InMemoryRunQuota({ clock: new FixedClock() });
  expect(await quota.take(placeOf("first"), { waits: false })).toEqual(TAKEN);
  expect(await quota.take(placeOf("waits"), { waits: true })).toEqual({ kind: "full", limit: LIMIT });
  quota.leave(placeOf("first"));
  expect(await quota.take(placeOf("waits"), { waits: true })).toEqual(TAKEN);
  quota.leave(placeOf("waits"));
  expect(await quota.take(placeOf("late"), { waits: false })).toEqual(TAKEN);
});

it("keeps no names in memory whose callers no longer wait", async () => {
  const clock = new FixedClock();
  const quota = new InMemoryRunQuota({ clock });
  const placeOfUser = (user: number, id: string) => ({
    ...placeOf(`${user}:${id}`),
    limits: [{ name: `user:${user}`, max: 1 }],
  });
  for (let user = 0; user < 20_000; user += 1) {
    await quota.take(placeOfUser(user, "runs"), { waits: true });
    await quota.take(placeOfUser(user, "waits"), { waits: true });
    quota.leave(placeOfUser(user, "runs"));
    clock.advance(1);
  }
  expect(quota.size).toBeLessThanOrEqual(10_000);
  expect((await quota.take(placeOfUser(19_999, "late"), { waits: false })).kind).toBe("full");
});

it("does not mind a place that is left without having been taken", async () => {
  const quota = new InMemoryRunQuota({ clock: new FixedClock() });
  quota.leave(placeOf("nobody"));
  expect(await quota.take(placeOf("first"), { waits: false })).toEqual(TAKEN);
});
