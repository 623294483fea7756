import { RunNotFoundError } from "#kit/errors/session-errors.ts";
import { sleep } from "#kit/platform/sleep.ts";
import { isTerminal, type RunRecord } from "#kit/sessions/run-record.ts";
import type { GatewayDeps } from "../deps.ts";

const MAX_WAIT_MS = 30_000;
const FIRST_LOOK_MS = 10;
const MAX_LOOK_MS = 500;

/** The run's record when it has ended; as it is then when that takes too long. Throws `RUN_NOT_FOUND` when its session is deleted. */
export async function untilEnded(
  { runJournal, clock }: Pick<GatewayDeps, "runJournal" | "clock">,
  run: RunRecord,
): Promise<RunRecord> {
  const until = clock.monotonic() + MAX_WAIT_MS;
  let record = run;
  for (let lookMs = FIRST_LOOK_MS; !isTerminal(record.status) && clock.monotonic() < until; lookMs *= 2) {
    await sleep(Math.min(lookMs, MAX_LOOK_MS));
    const now = await runJournal.get(run.runId);
    if (now === undefined) throw new RunNotFoundError(run.runId);
    record = now;
  }
  return record;
}
