import { expect, it, onTestFinished, vi } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";
import { RunReaper, type RunReaperOptions } from "./run-reaper.ts";

const LEASE_MS = 1000;

/** A reaper over a store with these runs, whose runner was lost more than a lease ago. */
async function createWorld(runIds: readonly string[], options: Partial<RunReaperOptions> = {}) {
  const clock = new FixedClock();
  const store = new InMemorySessionStore({ clock, ids: new SequentialIds() });
  for (const id of runIds) {
    const session = { appName: "app", userId: "u", id };
    await store.createSession(session);
    const begin = { runId: id, session, invocationId: id, request: {}, policy: "enqueue" } as const;
    await store.begin({ ...begin, holder: "lost", leaseMs: LEASE_MS, haveRevision: 0 });
  }
  clock.advance(3 * LEASE_MS);
  const givenUp: string[] = [];
  const reaper = new RunReaper({
    ...{ runJournal: store, leaseMs: LEASE_MS, logger: silentLogger, clock, revisionWaitMs: 2 * LEASE_MS },
    recover: async () => "no-app",
    giveUp: async ({ runId }) => void givenUp.push(runId),
    ...options,
  });
  return { reaper, givenUp, store, clock };
}

it("ends a run when the third scan in a row finds no app for it here", async () => {
  const { reaper, givenUp } = await createWorld(["run"]);
  await reaper.look();
  await reaper.look();
  expect(givenUp).toEqual([]);
  await reaper.look();
  expect(givenUp).toEqual(["run"]);
});

it("counts anew after a scan in which the run did not lack its app", async () => {
  const outcomes = ["no-app", "no-app", "no-slot", "no-app", "no-app"] as const;
  const left = [...outcomes];
  const { reaper, givenUp } = await createWorld(["run"], { recover: async () => left.shift() ?? "not-available" });
  for (const _ of outcomes) await reaper.look();
  expect([left, givenUp]).toEqual([[], []]);
});

it("recovers no more runs when it is stopped in the middle of a scan", async () => {
  const tried: string[] = [];
  const recover = async ({ runId }: RunRecord): Promise<"recovered"> => {
    tried.push(runId);
    reaper[Symbol.dispose]();
    return "recovered";
  };
  const { reaper } = await createWorld(["one", "two"], { recover });
  expect(await reaper.look()).toBe(1);
  expect(tried).toHaveLength(1);
});

it("counts only the runs that it recovered, and logs a scan that failed", async () => {
  const logger = new RecordingLogger();
  const outcomes = ["recovered", "not-available", "recovered"] as const;
  const left = [...outcomes];
  const recover = async () => left.shift() ?? "not-available";
  const { reaper, store } = await createWorld(["one", "two", "three"], { logger, recover });
  expect([await reaper.look(), logger.lines]).toEqual([2, []]);
  vi.spyOn(store, "listAbandoned").mockRejectedValueOnce(new PlatformError("STORE_UNAVAILABLE", "away"));
  expect(await reaper.look()).toBe(0);
  expect(logger.lines.map(({ level, message }) => [level, message])).toEqual([
    ["warn", "abandoned runs cannot be listed"],
  ]);
});

it("scans again and again, after a quarter to half of a lease, until it is disposed of", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const random = vi.spyOn(Math, "random").mockReturnValue(0.5);
  onTestFinished(() => {
    vi.useRealTimers();
    random.mockRestore();
  });
  const { reaper, store } = await createWorld([]);
  const scans = vi.spyOn(store, "listAbandoned");
  reaper.start();
  await vi.advanceTimersByTimeAsync(374);
  expect(scans).toHaveBeenCalledTimes(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(scans.mock.calls).toEqual([[{ minAgeMs: LEASE_MS, limit: 100 }]]);
  await vi.advanceTimersByTimeAsync(375);
  expect(scans).toHaveBeenCalledTimes(2);
  reaper[Symbol.dispose]();
  reaper.start();
  expect(vi.getTimerCount()).toBe(0);
});
