import { outcomeOf } from "#kit/core/context/run-outcome.ts";
import { PlatformError, toPlatformError } from "#kit/errors/platform-error.ts";
import { LeaseLostError } from "#kit/errors/session-errors.ts";
import { createEvent, USER_AUTHOR } from "#kit/events/event.ts";
import { sessionKey } from "#kit/sessions/session.ts";
import { createRewindActions } from "./base/rewind-actions.ts";
import type { StartedRun } from "./base/started-run.ts";
import { widenHistory } from "./begin/widen-history.ts";
import { exposureOf } from "./execute/fail-run.ts";
import { keepLease } from "./execute/keep-lease.ts";

/**
 * Rewinds the session within a run of its own; no agent runs. Throws `INVOCATION_NOT_FOUND`, and then nothing is
 * changed.
 */
export async function rewindSession(run: StartedRun, invocationId: string): Promise<void> {
  const stopKeeping = keepLease(run);
  let failure: PlatformError | undefined;
  try {
    await appendRewind(run, invocationId);
  } catch (error) {
    failure = toPlatformError(error);
    run.writer.discardPending();
  }
  stopKeeping();
  const { status, error } = outcomeOf(failure, { exposure: exposureOf(run) });
  try {
    await run.writer.finish(status, error);
  } catch (thrown) {
    // The caller waits for the result and can retry when the store is unavailable, so it gets that error.
    throw thrown instanceof LeaseLostError && thrown.cause !== undefined ? thrown.cause : thrown;
  } finally {
    run.release();
  }
  if (failure !== undefined) throw failure;
}

async function appendRewind(run: StartedRun, before: string): Promise<void> {
  const { cached, record, services, sessionService, writer } = run;
  const { session } = cached;
  // The events to rewind, and those before them, may have been summarized.
  await widenHistory(cached, sessionService);
  const files = { session: sessionKey(session), artifactService: services.artifactService };
  const actions = await createRewindActions(session.events, before, files);
  if (actions === undefined) {
    throw new PlatformError("INVOCATION_NOT_FOUND", `The session has no invocation "${before}" that still counts.`, {
      details: { sessionId: session.id, invocationId: before },
    });
  }
  const event = createEvent({
    id: services.ids.next(),
    invocationId: record.invocationId,
    author: USER_AUTHOR,
    timestamp: services.clock.now(),
    actions,
  });
  await writer.add(event, { emit: false });
}
