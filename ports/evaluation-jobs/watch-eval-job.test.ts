import { expect, it } from "vitest";
import type { EvalJob, EvalJobCase } from "./eval-job.ts";
import type { EvalJobReader } from "./eval-job-store.ts";
import { watchEvalJob } from "./watch-eval-job.ts";

const INTERVAL_MS = 300;

/** A job whose cases are begun and done one after another, a step for each reading of the job. */
class Progress implements Pick<EvalJobReader, "get" | "listCases"> {
  readonly cases: EvalJobCase[];
  jobReads = 0;
  caseReads = 0;
  waitedMs = 0;
  #sequence = 1;
  readonly #stepMs: number;

  constructor(total: number, stepMs: number) {
    this.#stepMs = stepMs;
    this.cases = Array.from({ length: total }, (_, index) => ({
      ...{ index, evalId: `case${index}`, status: "pending", attempts: 0, sequence: 1 },
    }));
  }

  async get(): Promise<EvalJob> {
    this.jobReads += 1;
    const steps = this.#stepMs === 0 ? 1 : Math.floor(this.waitedMs / this.#stepMs) + 1 - (this.#sequence - 1);
    for (let step = 0; step < steps; step += 1) this.step();
    const done = this.cases.filter(({ status }) => status === "done").length;
    const status = done === this.cases.length ? "succeeded" : "running";
    // What a watcher does not read is left out.
    return { status, sequence: this.#sequence, counts: { total: this.cases.length, done } } as unknown as EvalJob;
  }

  async listCases({ afterIndex = -1, pageSize = 100 }): Promise<readonly EvalJobCase[]> {
    // The worker continues between the two readings of a watcher.
    for (let step = 0; step < 3; step += 1) this.step();
    const page = this.cases.slice(afterIndex + 1, afterIndex + 1 + pageSize);
    this.caseReads += page.length;
    return page;
  }

  /** Begins a case, or ends one of the two that run, not always the first. */
  step(): void {
    const open = this.cases.findIndex(({ status }) => status === "pending");
    const running = this.cases.filter(({ status }) => status === "running");
    const next =
      running.length < 2 && open >= 0 ? this.cases[open] : running[Math.floor(this.#sequence / 2) % running.length];
    if (next === undefined) return;
    this.#sequence += 1;
    const status = next.status === "pending" ? "running" : "done";
    this.cases[next.index] = { ...next, status, sequence: this.#sequence };
  }
}

async function watched(progress: Progress, afterSequence = 0, most = Number.POSITIVE_INFINITY) {
  const seen: string[] = [];
  const sleep = async (milliseconds: number): Promise<void> => {
    progress.waitedMs += milliseconds;
  };
  const options = { signal: new AbortController().signal, sleep, intervalMs: INTERVAL_MS };
  for await (const change of watchEvalJob(progress, { jobId: "job", afterSequence }, options)) {
    seen.push(change.kind === "job" ? `job ${change.job.sequence}` : `${change.case.index} ${change.case.status}`);
    if (seen.length === most) break;
  }
  return seen;
}

it.each([0, 1, 7, 50])("reports the end of each case once, with a change each %i ms", async (stepMs) => {
  const seen = await watched(new Progress(40, stepMs));
  const done = seen.filter((each) => each.endsWith(" done"));
  expect(done.toSorted()).toEqual(Array.from({ length: 40 }, (_, index) => `${index} done`).toSorted());
  expect(seen.at(-1)).toMatch(/^job /);
});

it("continues after a change as if it had not been interrupted", async () => {
  const progress = new Progress(40, 7);
  const first = await watched(progress, 0, 30);
  const at = Number(first.findLast((each) => each.startsWith("job "))?.slice("job ".length));
  const before = first.slice(0, first.lastIndexOf(`job ${at}`) + 1);
  const done = [...before, ...(await watched(progress, at))].filter((each) => each.endsWith(" done"));
  expect(done.toSorted()).toEqual(Array.from({ length: 40 }, (_, index) => `${index} done`).toSorted());
});

it("reads at most 500 cases a second of a job of any size", async () => {
  const progress = new Progress(2000, 5);
  await watched(progress);
  expect(progress.waitedMs).toBeGreaterThan(15_000);
  // The first and the last reading are in addition.
  expect(progress.caseReads).toBeLessThan((progress.waitedMs / 1000) * 500 + 2 * 2000);
});

it("reads cases that are done, and have only such before them, once", async () => {
  const progress = new Progress(1000, 0);
  for (let step = 0; step < 1996; step += 1) progress.step();
  const before = progress.cases.filter(({ status }) => status === "done").length;
  await watched(progress);
  expect(before).toBeGreaterThan(900);
  expect(progress.caseReads).toBeLessThan(1100);
});
