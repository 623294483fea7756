import { describe, expect, it } from "vitest";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import type { RunNotification } from "#ports/runs/run-notifications.ts";
import { RunsInProcess } from "./runs-in-process.ts";

const KEY = { appName: "app", userId: "ada", id: "talk" };

function granted(runId: string, session = KEY) {
  const record: RunRecord = {
    runId,
    session,
    invocationId: "i",
    request: {},
    status: "running",
    policy: "enqueue",
    attempts: 1,
    epoch: 1,
    createdTime: 0,
    cancelRequested: false,
    baseRevision: 0,
  };
  return { record, abort: new AbortController() };
}

function createRuns({ notifies = true } = {}) {
  const clock = new FixedClock();
  const sent: RunNotification[] = [];
  const runNotifications = {
    notify: (notification: RunNotification) => void sent.push(notification),
    onNotify: () => ({ [Symbol.dispose]: () => {} }),
  };
  const runs = new RunsInProcess({ clock, ...(notifies && { runNotifications }) });
  /** A run that works until `end` is called. */
  const start = (runId: string, session = KEY) => {
    const run = granted(runId, session);
    const work = Promise.withResolvers<void>();
    runs.start(run, () => work.promise);
    return { ...run, end: work.resolve };
  };
  /** A queued run, which leaves the queue when the test lets it. */
  const wait = (runId: string, session = KEY) => {
    const work = Promise.withResolvers<void>();
    let left: AbortSignal | undefined;
    runs.wait({ runId, session }, (signal) => {
      left = signal;
      signal.addEventListener("abort", () => work.resolve());
      return work.promise;
    });
    return { hasLeft: () => left?.aborted, end: work.resolve };
  };
  return { clock, sent, runs, start, wait };
}

const reasonOf = ({ abort }: { readonly abort: AbortController }) =>
  abort.signal.aborted ? abort.signal.reason.reason : undefined;

describe("the load", () => {
  it("counts queued runs and the longest wait, by user, until they run", async () => {
    const { runs, clock, start, wait } = createRuns();
    clock.advance(1000);
    start("active");
    const first = wait("first");
    clock.advance(500);
    wait("second", { ...KEY, userId: "bob" });
    clock.advance(100);
    expect(runs.load).toEqual({ queued: 2, oldestQueuedMs: 600 });
    runs.startWaiting(granted("first"));
    expect([runs.load, runs.queuedOf(KEY)]).toEqual([{ queued: 1, oldestQueuedMs: 100 }, 0]);
    first.end();
    await runs.get("first")?.ended;
    expect([runs.queuedOf(KEY), runs.queuedOf({ ...KEY, userId: "bob" }), runs.has("first")]).toEqual([0, 1, false]);
  });

  it("does not count a run that left the queue", async () => {
    const { runs, wait } = createRuns();
    const { end } = wait("run");
    expect(runs.queuedOf(KEY)).toBe(1);
    end();
    await runs.whenIdle();
    expect([runs.load, runs.queuedOf(KEY)]).toEqual([{ queued: 0, oldestQueuedMs: 0 }, 0]);
    runs.startWaiting(granted("run"));
    expect(runs.has("run")).toBe(false);
  });
});

describe("a newer message", () => {
  it("aborts the active runs of its session and no others", () => {
    const { runs, start, wait } = createRuns();
    const own = start("own");
    const others = [
      start("app", { ...KEY, appName: "other" }),
      start("user", { ...KEY, userId: "bob" }),
      start("session", { ...KEY, id: "other" }),
    ];
    const queued = wait("queued");
    runs.interrupt(KEY);
    expect([reasonOf(own), others.map(reasonOf), queued.hasLeft()]).toEqual([
      "RUN_CANCELLED",
      [undefined, undefined, undefined],
      false,
    ]);
  });
});

describe("the end of a run", () => {
  it("is reported to a runner that waits for it, and to no other", async () => {
    const { runs, sent, start } = createRuns();
    const [awaited, other] = [start("awaited"), start("other")];
    runs.noteAwaited("awaited");
    runs.noteAwaited("unknown");
    awaited.end();
    other.end();
    await runs.whenIdle();
    expect(sent).toEqual([{ kind: "ended", runId: "awaited" }]);
  });

  it("needs no notifications", async () => {
    const { runs, start, wait } = createRuns({ notifies: false });
    const run = start("run");
    wait("queued");
    runs.noteAwaited("run");
    run.end();
    runs.drain();
    await runs.whenIdle();
    expect(runs.has("run")).toBe(false);
  });

  it("is waited for, also by a run that began meanwhile", async () => {
    const { runs, start } = createRuns();
    const first = start("first");
    let isIdle = false;
    const idle = runs.whenIdle().finally(() => {
      isIdle = true;
    });
    const second = start("second");
    first.end();
    await runs.get("first")?.ended;
    await new Promise((resolve) => setImmediate(resolve));
    expect(isIdle).toBe(false);
    second.end();
    await idle;
  });
});

describe("draining", () => {
  it("leaves queued runs to other runners, later ones too, and notifies them; active runs continue", async () => {
    const { runs, sent, start, wait } = createRuns();
    expect(runs.isDraining).toBe(false);
    const active = start("active");
    const queued = wait("queued");
    runs.drain();
    runs.drain();
    const late = wait("late");
    expect([runs.isDraining, queued.hasLeft(), late.hasLeft(), reasonOf(active)]).toEqual([
      true,
      true,
      true,
      undefined,
    ]);
    runs.assertAccepting();
    active.end();
    await runs.whenIdle();
    expect(sent).toEqual([
      { kind: "available", runId: "queued" },
      { kind: "available", runId: "late" },
    ]);
  });
});

describe("stopping", () => {
  it("aborts active runs, later ones too, for the first reason given, and accepts no more", async () => {
    const { runs, start, wait } = createRuns();
    const active = start("active");
    const queued = wait("queued");
    const stopping = runs.stop("RUN_HANDED_OVER");
    const again = runs.stop("RUN_INTERRUPTED");
    const late = start("late");
    const turn = granted("turn");
    runs.startWaiting(turn);
    expect([active, late, turn].map(reasonOf)).toEqual(["RUN_HANDED_OVER", "RUN_HANDED_OVER", "RUN_HANDED_OVER"]);
    expect([queued.hasLeft(), runs.isDraining]).toEqual([true, true]);
    expect(() => runs.assertAccepting()).toThrow("The server is shutting down. Try again soon.");
    let hasStopped = false;
    void stopping.then(() => {
      hasStopped = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(hasStopped).toBe(false);
    active.end();
    late.end();
    await Promise.all([stopping, again]);
  });
});
