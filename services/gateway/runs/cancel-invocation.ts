import { CONFIRMATION_CALL } from "#kit/events/reserved-calls.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { isTerminal, type RunRecord } from "#kit/sessions/run-record.ts";
import type { RouteDeps } from "../deps.ts";
import { ownKey } from "../requests/idempotency.ts";
import { newestRun } from "./newest-run.ts";
import { startRun } from "./start-run.ts";
import { readWaitingCalls, type WaitingCall } from "./waiting-calls.ts";

/** An answer may arrive while the invocation is being cancelled; its run is cancelled then. */
const MAX_ATTEMPTS = 3;

/**
 * Cancels the invocation of a run: a task of the protocols for agents. One that waits for input gets the refusal of all
 * that it asks: a run that ends as cancelled, without its agent, so that no later answer takes effect. One that has
 * ended stays as it is.
 */
export async function cancelInvocation(deps: RouteDeps, first: RunRecord, keyId: string | undefined): Promise<void> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const run = await newestRun(deps, (await deps.runJournal.get(first.runId)) ?? first);
    if (!isTerminal(run.status)) {
      await deps.runnerService.cancelRun(run.runId);
      return;
    }
    const calls = await readWaitingCalls(deps.sessionService, run);
    if (calls.length === 0) return;
    const refusal = await startRun(deps, {
      session: run.session,
      request: {
        newMessage: { role: "user", parts: calls.map((call) => ({ functionResponse: toRefusal(call) })) },
        endsInvocation: true,
        keyId,
      },
      // A repeated cancellation is one run, unless that was itself cancelled before it refused anything.
      idempotencyKey: ownKey("cancel", attempt === 1 ? run.runId : [run.runId, deps.ids.next()]),
    });
    const { answeredBy } = (await deps.runJournal.get(run.runId)) ?? run;
    if (answeredBy === refusal.runId || (answeredBy === undefined && !isTerminal(refusal.status))) return;
  }
}

function toRefusal({ id, name }: WaitingCall) {
  const response: JsonObject = name === CONFIRMATION_CALL ? { confirmed: false } : { error: "The task was cancelled." };
  return { id, name, response };
}
