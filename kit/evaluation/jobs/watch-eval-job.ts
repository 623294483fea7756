import type { Sleep } from "#kit/platform/sleep.ts";
import { type EvalJobCase, isEnded } from "./eval-job.ts";
import { evalJobNotFound } from "./eval-job-rules.ts";
import type { EvalJobReader } from "./eval-job-store.ts";
import type { EvalJobChange, WatchEvalJobRequest } from "./eval-jobs.ts";

const PAGE = 500;
const FIRST_PAUSE_MS = 10;

export interface WatchOptions {
  readonly signal: AbortSignal;
  readonly sleep: Sleep;
  /** The longest time after which the store is read again. It is read sooner after a change. */
  readonly intervalMs: number;
}

/**
 * As `EvalJobs.watch`, by reading the store: so readers at any process see every job, and can continue after any change.
 * Several changes of a case between two reads are seen as its last one.
 */
export async function* watchEvalJob(
  jobs: Pick<EvalJobReader, "get" | "listCases">,
  { afterSequence = 0, ...key }: WatchEvalJobRequest,
  { signal, sleep, intervalMs }: WatchOptions,
): AsyncGenerator<EvalJobChange> {
  let seen = afterSequence;
  let pauseMs = FIRST_PAUSE_MS;
  for (let isFirst = true; ; isFirst = false) {
    signal.throwIfAborted();
    const job = await jobs.get(key);
    if (job === undefined) throw evalJobNotFound(key);
    // A reader that continues after the end learns that nothing follows.
    if (job.sequence > seen || (isFirst && isEnded(job))) {
      const from = seen;
      const changed = (await allCases(jobs, key)).filter(({ sequence }) => sequence > from && sequence <= job.sequence);
      for (const one of changed.sort((a, b) => a.sequence - b.sequence))
        if (one.status !== "pending") yield { kind: "case", case: one };
      yield { kind: "job", job };
      seen = job.sequence;
      pauseMs = FIRST_PAUSE_MS;
    }
    if (isEnded(job)) return;
    await sleep(Math.min(pauseMs, intervalMs), signal);
    pauseMs *= 2;
  }
}

async function allCases(
  jobs: Pick<EvalJobReader, "listCases">,
  key: Omit<WatchEvalJobRequest, "afterSequence">,
): Promise<EvalJobCase[]> {
  const cases: EvalJobCase[] = [];
  for (let place: { readonly afterIndex?: number } = {}; ; ) {
    const page = await jobs.listCases({ ...key, ...place, pageSize: PAGE });
    cases.push(...page);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return cases;
    place = { afterIndex: last.index };
  }
}
