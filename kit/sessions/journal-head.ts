import { PlatformError } from "../errors/platform-error.ts";
import { assertSessionKey } from "../names/identifiers.ts";
import type { RunRecord } from "./run-record.ts";
import type { SessionKey } from "./session.ts";

/** How many sessions one `getHeads` may ask for. */
export const MAX_HEADS = 500;

/** The current position of a session's journal, without any content of events. */
export interface JournalHead {
  /** Distinguishes sessions that had the same id one after the other. */
  readonly incarnation: string;
  /** Sequence of the session's newest event; 0 for none. */
  readonly revision: number;
  /** The active run. */
  readonly run?: RunningRun;
}

/** The part of a running run's record that a reader of its stream needs. */
export type RunningRun = Pick<
  RunRecord,
  "runId" | "invocationId" | "epoch" | "attempts" | "baseRevision" | "streamKey"
>;

export function toRunningRun(run: RunningRun): RunningRun {
  const { runId, invocationId, epoch, attempts, baseRevision, streamKey } = run;
  return { runId, invocationId, epoch, attempts, baseRevision, streamKey };
}

/** Throws `INVALID_FIELD` for too many sessions, and `INVALID_IDENTIFIER`. */
export function assertHeadsRequest(sessions: readonly SessionKey[]): void {
  if (sessions.length > MAX_HEADS)
    throw new PlatformError(
      "INVALID_FIELD",
      `sessions holds ${sessions.length} sessions. Ask for at most ${MAX_HEADS} in one call.`,
      { details: { field: "sessions" } },
    );
  for (const session of sessions) assertSessionKey(session);
}
