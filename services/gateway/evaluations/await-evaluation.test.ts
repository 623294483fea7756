import { expect, it } from "vitest";
import type { EvalJob } from "#ports/evaluation-jobs/eval-job.ts";
import type { EvalJobChange, EvalJobs } from "#ports/evaluation-jobs/eval-jobs.ts";
import { awaitEnd, awaitEvaluation } from "./await-evaluation.ts";

// The members that waiting uses.
const job = (status: EvalJob["status"], more: Partial<EvalJob> = {}): EvalJob =>
  ({ jobId: "j", status, sequence: 1, ...more }) as EvalJob;

/** Jobs of which one changes like this. */
function jobsWith(changes: readonly EvalJob[], { stored }: { readonly stored?: EvalJob } = {}) {
  const asked: unknown[] = [];
  const evalJobs = {
    watch: async function* (request: unknown, signal: AbortSignal): AsyncGenerator<EvalJobChange> {
      asked.push(request);
      for (const change of changes) yield { kind: "job", job: change };
      signal.throwIfAborted();
    },
    listResults: async ({ afterIndex }: { readonly afterIndex?: number }) =>
      afterIndex === undefined ? [{ index: 0, result: { evalId: "a" } }] : [],
    get: async () => stored,
    // All that waiting uses of the port.
  } as unknown as EvalJobs;
  return { evalJobs, asked };
}

const signal = new AbortController().signal;

it("returns the results of an evaluation when it has succeeded", async () => {
  const { evalJobs, asked } = jobsWith([job("running"), job("succeeded", { sequence: 3 })]);
  const results = await awaitEvaluation({ evalJobs }, job("queued"), signal);
  expect(await Array.fromAsync(results)).toEqual([{ evalId: "a" }]);
  expect(asked).toEqual([{ jobId: "j", afterSequence: 1 }]);
});

it("does not watch an evaluation that has ended", async () => {
  const { evalJobs, asked } = jobsWith([]);
  expect(await Array.fromAsync(await awaitEvaluation({ evalJobs }, job("succeeded"), signal))).toHaveLength(1);
  expect(asked).toEqual([]);
});

it.each<[EvalJob, object]>([
  [job("cancelled"), { reason: "EVAL_JOB_CANCELLED", details: { jobId: "j" } }],
  [
    job("failed", { error: { reason: "APP_NOT_FOUND", message: "gone" } }),
    { reason: "APP_NOT_FOUND", message: "gone" },
  ],
  [job("failed", { error: { reason: "OF_ANOTHER_VERSION", message: "new" } }), { reason: "INTERNAL" }],
  [job("failed", { error: { reason: "constructor", message: "x" } }), { reason: "INTERNAL" }],
  [job("failed"), { reason: "INTERNAL" }],
])("throws why an evaluation ended without results: %j", async (ended, error) => {
  await expect(awaitEvaluation(jobsWith([ended]), job("running"), signal)).rejects.toMatchObject(error);
});

it("returns the job as it is when the client stops waiting, and throws other failures", async () => {
  const stopped = AbortSignal.abort(new Error("stopped"));
  const stored = job("running", { sequence: 2 });
  expect(await awaitEnd(jobsWith([], { stored }), job("queued"), stopped)).toBe(stored);
  expect(await awaitEnd(jobsWith([]), job("queued"), stopped)).toEqual(job("queued"));
  expect(await awaitEnd(jobsWith([job("cancelled")]), job("queued"), signal)).toEqual(job("cancelled"));
  const { evalJobs } = jobsWith([]);
  evalJobs.watch = () => {
    throw new Error("broken");
  };
  await expect(awaitEnd({ evalJobs }, job("queued"), signal)).rejects.toThrow("broken");
});
