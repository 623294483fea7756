import { describe, expect, it } from "vitest";
import { RunSlots } from "./run-slots.ts";

const owner = (userId: string, appName = "app") => ({ appName, userId });
const limits = (all: number, perApp = 0, perUser = 0, perUserHere = 0) => ({
  MAX_CONCURRENT_RUNS: all,
  MAX_CONCURRENT_RUNS_PER_APP: perApp,
  MAX_CONCURRENT_RUNS_PER_USER: perUser,
  MAX_PROCESS_RUNS_PER_USER: perUserHere,
});
const forever = new AbortController().signal;

/** Without other processes the answer is immediate. */
function take(slots: RunSlots, one: ReturnType<typeof owner>): () => void {
  const leave = slots.take(one);
  if (typeof leave !== "function") throw new Error("The answer was not immediate.");
  return leave;
}

function refusal(limit: string) {
  return expect.objectContaining({ reason: "RUNNER_BUSY", details: { limit, retryAfterSeconds: "2" } });
}

describe("slots for runs", () => {
  it.each([
    ["in all", limits(2), [owner("a"), owner("b", "other")], owner("c"), "MAX_CONCURRENT_RUNS"],
    ["of one app", limits(9, 2), [owner("a"), owner("b")], owner("c"), "MAX_CONCURRENT_RUNS_PER_APP"],
    ["of one user", limits(9, 0, 2), [owner("a"), owner("a")], owner("a"), "MAX_CONCURRENT_RUNS_PER_USER"],
    ["of one user here", limits(9, 0, 0, 2), [owner("a"), owner("a")], owner("a"), "MAX_PROCESS_RUNS_PER_USER"],
  ] as const)("are so many %s, and are to be had again when they are left", (_, given, first, next, limit) => {
    const slots = new RunSlots(given);
    const leave = first.map((one) => take(slots, one));
    expect(slots.busy).toBe(2);
    expect(() => take(slots, next)).toThrow(refusal(limit));
    expect(slots.tryTake(next)).toBeUndefined();
    leave[0]?.();
    take(slots, next);
    expect(slots.busy).toBe(2);
  });

  it("of other apps and users are not touched by a cap", () => {
    const slots = new RunSlots(limits(0, 2, 1));
    take(slots, owner("a"));
    take(slots, owner("b"));
    take(slots, owner("a", "other"));
    expect(slots.busy).toBe(3);
  });

  it("go to the waiting user who has the fewest", async () => {
    const slots = new RunSlots(limits(3, 0, 9));
    const leave = [take(slots, owner("a")), take(slots, owner("a")), take(slots, owner("b"))];
    const order: string[] = [];
    const wait = async (userId: string): Promise<void> => {
      await slots.wait(owner(userId), forever);
      order.push(userId);
    };
    const waits = [wait("a"), wait("b"), wait("c")];
    for (const one of leave.slice(0, 1)) one();
    await waits[2];
    leave[2]?.();
    await waits[1];
    leave[1]?.();
    await waits[0];
    expect(order).toEqual(["c", "b", "a"]);
  });

  it("go to the user who has waited longest, of those with equally few", async () => {
    const slots = new RunSlots(limits(1));
    const leave = take(slots, owner("a"));
    const order: string[] = [];
    const waits = ["b", "c", "d"].map(async (userId) => {
      const leaveNext = await slots.wait(owner(userId), forever);
      order.push(userId);
      leaveNext?.();
    });
    leave();
    await Promise.all(waits);
    expect(order).toEqual(["b", "c", "d"]);
  });

  it("are not given to a run that has stopped waiting", async () => {
    const slots = new RunSlots(limits(1));
    const leave = take(slots, owner("a"));
    const left = new AbortController();
    const waiting = slots.wait(owner("b"), left.signal);
    left.abort();
    expect(await waiting).toBeUndefined();
    leave();
    expect(slots.busy).toBe(0);
    expect(await slots.wait(owner("c"), AbortSignal.abort())).toBeUndefined();
  });
});
