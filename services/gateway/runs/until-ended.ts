import { RunNotFoundError } from "#kit/errors/session-errors.ts";
import { sleep } from "#kit/platform/sleep.ts";
import { isTerminal, type RunRecord } from "#kit/sessions/run-record.ts";
import type { GatewayDeps } from "../deps.ts";

const MAX_WAIT_MS = 30_000;
const FIRST_CHECK_MS = 10;
const MAX_CHECK_MS = 500;

/**
 * Waits until the run has ended and returns its record, or its current record after the longest wait. Throws
 * `RUN_NOT_FOUND` if its session was deleted.
 */
export async function untilEnded(
  { runJournal, clock }: Pick<GatewayDeps, "runJournal" | "clock">,
  run: RunRecord,
): Promise<RunRecord> {
  const until = clock.monotonic() + MAX_WAIT_MS;
  let record = run;
  for (let checkMs = FIRST_CHECK_MS; !isTerminal(record.status) && clock.monotonic() < until; checkMs *= 2) {
    await sleep(Math.min(checkMs, MAX_CHECK_MS));
    const now = await runJournal.get(run.runId);
    if (now === undefined) throw new RunNotFoundError(run.runId);
    record = now;
  }
  return record;
}
