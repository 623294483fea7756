import type { Sleep } from "#kit/platform/sleep.ts";
import { allByIndex } from "./all-by-index.ts";
import { type EvalJobCase, isEnded } from "./eval-job.ts";
import { evalJobNotFound } from "./eval-job-rules.ts";
import type { EvalJobReader } from "./eval-job-store.ts";
import type { EvalJobChange, WatchEvalJobRequest } from "./eval-jobs.ts";

const PAGE = 500;
const FIRST_PAUSE_MS = 10;
/**
 * The pause before the next read of the cases, for each case of the last read: a reader reads at most 500 cases a
 * second.
 */
const PAUSE_PER_CASE_MS = 2;

export interface WatchOptions {
  readonly signal: AbortSignal;
  readonly sleep: Sleep;
  /** The longest time after which the job is read again. It is read sooner after a change. */
  readonly intervalMs: number;
}

/**
 * Implements `EvalJobs.watch` by polling the store, so that readers in any process see every job and can continue after
 * any change. If a case changes several times between two reads, only the last change is reported. An unchanged job
 * costs the read of its record. Cases at the start of the list that are done are read only once.
 */
export async function* watchEvalJob(
  jobs: Pick<EvalJobReader, "get" | "listCases">,
  { afterSequence = 0, ...key }: WatchEvalJobRequest,
  { signal, sleep, intervalMs }: WatchOptions,
): AsyncGenerator<EvalJobChange> {
  let seen = afterSequence;
  let doneIndex: number | undefined;
  let pauseMs = FIRST_PAUSE_MS;
  let untilListMs = 0;
  for (let isFirst = true; ; isFirst = false) {
    signal.throwIfAborted();
    const job = await jobs.get(key);
    if (job === undefined) throw evalJobNotFound(key);
    const hasChanged = job.sequence > seen && (untilListMs <= 0 || isEnded(job));
    // A reader that continues after the end receives the job once more.
    if (hasChanged || (isFirst && isEnded(job))) {
      const from = seen;
      const cases = await casesAfter(jobs, key, doneIndex);
      const changed = cases.filter(({ sequence }) => sequence > from && sequence <= job.sequence);
      for (const one of changed.sort((a, b) => a.sequence - b.sequence))
        if (one.status !== "pending") yield { kind: "case", case: one };
      yield { kind: "job", job };
      seen = job.sequence;
      doneIndex = lastOfLeadingDone(cases, seen) ?? doneIndex;
      pauseMs = FIRST_PAUSE_MS;
      untilListMs = cases.length * PAUSE_PER_CASE_MS;
    }
    if (isEnded(job)) return;
    pauseMs = Math.min(pauseMs, intervalMs);
    await sleep(pauseMs, signal);
    untilListMs -= pauseMs;
    pauseMs *= 2;
  }
}

/**
 * The index up to which all cases are done and were reported as done, so that they need not be read again; undefined if
 * there is none.
 */
function lastOfLeadingDone(cases: readonly EvalJobCase[], seen: number): number | undefined {
  const open = cases.findIndex(({ status, sequence }) => status !== "done" || sequence > seen);
  return cases[(open < 0 ? cases.length : open) - 1]?.index;
}

async function casesAfter(
  jobs: Pick<EvalJobReader, "listCases">,
  key: Omit<WatchEvalJobRequest, "afterSequence">,
  doneIndex: number | undefined,
): Promise<EvalJobCase[]> {
  const cases: EvalJobCase[] = [];
  const start = { pageSize: PAGE, afterIndex: doneIndex };
  for await (const one of allByIndex((place) => jobs.listCases({ ...key, ...place }), start)) cases.push(one);
  return cases;
}
