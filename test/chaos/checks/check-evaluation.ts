import type { EvalFrame, WireCase, WireJob } from "#test/chaos/eval-client.ts";

export interface EndedEvaluation {
  readonly job: WireJob;
  readonly cases: readonly WireCase[];
  readonly frames: readonly EvalFrame[];
  /** The ids of the cases in the stored result of the set, in their order. */
  readonly results: readonly string[];
  /** The ids of the set's cases. */
  readonly expected: readonly string[];
}

/** E1: each case has one result, in the order of the set, and the job counts each once. */
export function checkResults({ job, cases, results, expected }: EndedEvaluation): readonly string[] {
  const problems: string[] = [];
  if (job.status !== "succeeded")
    problems.push(`E1 the job is ${job.status}: ${job.error?.reason} ${job.error?.message}`);
  if (results.join() !== expected.join()) problems.push(`E1 the result has the cases ${results.join()}`);
  const { total, done, passed } = job.counts;
  if (total !== expected.length || done !== total || passed !== total)
    problems.push(`E1 the job counts ${JSON.stringify(job.counts)} of ${expected.length} cases`);
  for (const { evalId, status } of cases) if (status !== "done") problems.push(`E1 case ${evalId} is ${status}`);
  return problems;
}

/** E2: a reader that continues after its last frame gets each change once and in order, and each case's end. */
export function checkFrames({ frames, cases }: EndedEvaluation): readonly string[] {
  const problems: string[] = [];
  let last = 0;
  const ends = new Map<string, number>();
  for (const frame of frames) {
    if (frame.kind === "connect") continue;
    // A job has the number of the last change, which may be one of a case.
    const isInOrder = frame.kind === "case" ? frame.id > last : frame.id >= last;
    if (!isInOrder) problems.push(`E2 a frame ${frame.kind} has the number ${frame.id} after ${last}`);
    last = frame.id;
    if (frame.kind === "case" && frame.case.status === "done")
      ends.set(frame.case.evalId, (ends.get(frame.case.evalId) ?? 0) + 1);
  }
  for (const { evalId } of cases)
    if (ends.get(evalId) !== 1) problems.push(`E2 the end of case ${evalId} was sent ${ends.get(evalId) ?? 0} times`);
  return problems;
}
