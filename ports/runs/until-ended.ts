import { RunNotFoundError } from "#kit/errors/session-errors.ts";
import type { Clock } from "#kit/platform/clock.ts";
import { sleep } from "#kit/platform/sleep.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import { isTerminal, type RunRecord } from "#kit/sessions/run-record.ts";

const MAX_WAIT_MS = 30_000;
const FIRST_CHECK_MS = 10;
const MAX_CHECK_MS = 500;

interface UntilEndedOptions {
  readonly runJournal: Pick<RunJournal, "get">;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

/**
 * Waits until the run has ended and returns its record, or its current record after the longest wait. Throws
 * `RUN_NOT_FOUND` if its session was deleted.
 */
export async function untilEnded({ runJournal, clock, signal }: UntilEndedOptions, run: RunRecord): Promise<RunRecord> {
  const until = clock.monotonic() + MAX_WAIT_MS;
  let record = run;
  for (let checkMs = FIRST_CHECK_MS; !isTerminal(record.status) && clock.monotonic() < until; checkMs *= 2) {
    await sleep(Math.min(checkMs, MAX_CHECK_MS), signal);
    const now = await runJournal.get(run.runId, run.session.tenantId);
    if (now === undefined) throw new RunNotFoundError(run.runId);
    record = now;
  }
  return record;
}
