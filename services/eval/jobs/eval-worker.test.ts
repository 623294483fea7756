import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { TabularEvalJobStore } from "#ports/evaluation-jobs/tabular-eval-job-store.ts";
import { InMemoryRowTable } from "#ports/rows/in-memory-row-table.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { newEvalJob } from "#test/contract/evaluations/eval-job-world.ts";
import { RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";
import { EvalWorker } from "./eval-worker.ts";
import type { EvalWorkerDeps } from "./worker-deps.ts";
import { evalWorkerConfigSchema } from "./worker-settings.ts";

const DAY_MS = 24 * 60 * 60_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

function createWorker(settings: Readonly<Record<string, string>> = {}) {
  const clock = new FixedClock();
  const evalJobStore = new TabularEvalJobStore({ table: new InMemoryRowTable(), clock });
  const logger = new RecordingLogger();
  const list = vi.spyOn(evalJobStore, "listClaimable");
  const config = { ...loadConfig(evalWorkerConfigSchema, settings), RUN_TIMEOUT_MS: 1000 };
  // What a worker uses that has no job to run.
  const deps = { evalJobStore, clock, logger, config, holder: "one" } as unknown as EvalWorkerDeps;
  const settle = () => vi.advanceTimersByTimeAsync(0);
  return { worker: new EvalWorker(deps), clock, evalJobStore, logger, list, settle };
}

it("looks for jobs when it starts, is woken and time has passed, and not before and after", async () => {
  const { worker, list, settle } = createWorker();
  worker.wake();
  await settle();
  expect(list).toHaveBeenCalledTimes(0);
  worker.start();
  await settle();
  worker.wake();
  await settle();
  expect([list.mock.calls.length, vi.getTimerCount()]).toEqual([2, 1]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(list.mock.calls.length).toBeGreaterThan(2);
  worker.drain();
  const before = list.mock.calls.length;
  worker.wake();
  await vi.advanceTimersByTimeAsync(60_000);
  expect([list.mock.calls.length, vi.getTimerCount()]).toEqual([before, 0]);
});

it("looks once more for those that wake it while it looks, and goes on after a failure", async () => {
  const { worker, list, logger, settle } = createWorker();
  const held = Promise.withResolvers<never[]>();
  list.mockReturnValueOnce(held.promise);
  worker.start();
  worker.wake();
  worker.wake();
  await settle();
  expect(list).toHaveBeenCalledTimes(1);
  held.resolve([]);
  await settle();
  expect([list.mock.calls.length, vi.getTimerCount()]).toEqual([2, 1]);
  list.mockRejectedValueOnce(new Error("down"));
  worker.wake();
  await settle();
  expect(logger.lines.map(({ message }) => message)).toEqual(["evaluations cannot be claimed"]);
  expect(vi.getTimerCount()).toBe(1);
  await worker[Symbol.asyncDispose]();
  expect(vi.getTimerCount()).toBe(0);
});

it("asks for as many jobs as it has room for", async () => {
  const { worker, list, settle } = createWorker({ EVAL_MAX_JOBS: "3" });
  worker.start();
  await settle();
  expect(list.mock.calls).toEqual([[3]]);
});

it("claims nothing that it has found when it stops", async () => {
  const { worker, evalJobStore, list } = createWorker();
  await evalJobStore.create(newEvalJob("j1"));
  const claim = vi.spyOn(evalJobStore, "claim");
  const held = Promise.withResolvers<{ jobId: string }[]>();
  list.mockReturnValueOnce(held.promise);
  worker.start();
  const ended = worker[Symbol.asyncDispose]();
  held.resolve([{ jobId: "j1" }]);
  await ended;
  expect(claim).not.toHaveBeenCalled();
});

it("removes old jobs, until there are none, and then not for a while", async () => {
  const { worker, clock, evalJobStore, settle } = createWorker({ EVAL_RETENTION_DAYS: "2" });
  const prune = vi.spyOn(evalJobStore, "prune").mockImplementationOnce(async (_before, limit) => limit);
  worker.start();
  await settle();
  expect(prune.mock.calls.map(([before]) => before)).toEqual(Array(2).fill(clock.now() - 2 * DAY_MS));
  worker.wake();
  await settle();
  expect(prune).toHaveBeenCalledTimes(2);
  clock.advance(DAY_MS);
  worker.wake();
  await settle();
  expect(prune).toHaveBeenCalledTimes(3);
});
