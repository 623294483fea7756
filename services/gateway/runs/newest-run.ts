import { RunNotFoundError } from "#kit/errors/session-errors.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { RouteDeps } from "../deps.ts";

/** Longest chain of answers that is followed. */
const MAX_ANSWERS = 1000;

/** The run that continues the first run of an invocation: its answers are runs of their own. */
export async function newestRun(
  { runJournal }: { readonly runJournal: Pick<RouteDeps["runJournal"], "get"> },
  first: RunRecord,
): Promise<RunRecord> {
  let run = first;
  for (let count = 0; run.answeredBy !== undefined && count < MAX_ANSWERS; count += 1) {
    const next = await runJournal.get(run.answeredBy);
    if (next === undefined) throw new RunNotFoundError(run.answeredBy);
    run = next;
  }
  return run;
}

/** Whether the run continues an invocation: the message answers its calls, or names it. */
export function isContinuation({ request: { invocationId, newMessage } }: Pick<RunRecord, "request">): boolean {
  return invocationId !== undefined || (newMessage?.parts ?? []).some((part) => part.functionResponse !== undefined);
}
