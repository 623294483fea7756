import { PlatformError } from "#kit/errors/platform-error.ts";
import { isTerminal, type RunRecord } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { LocalRun } from "./local-runs.ts";
import type { RunnerParts } from "./runner-parts.ts";

type CancelParts = Pick<RunnerParts, "runJournal" | "runNotifications" | "logger" | "executor" | "runs">;

/** Ends runs before their time: those of this process, and by a notification those of others. */
export class RunCancels {
  readonly #parts: CancelParts;

  constructor(parts: CancelParts) {
    this.#parts = parts;
  }

  /** The record, which asks for the run's end from now on. Throws `RUN_NOT_FOUND`. */
  async cancel(runId: string): Promise<RunRecord> {
    const { runJournal, runNotifications, runs } = this.#parts;
    const record = await runJournal.cancel(runId);
    const local = runs.get(runId);
    if (local === undefined) runNotifications?.notify({ kind: "cancel", runId });
    else await this.#heed(local, record);
    return record;
  }

  /** A newer message has the journal's word that what its session does comes to an end. */
  interrupt(session: SessionKey, behind: string): void {
    const { runNotifications, runs } = this.#parts;
    if (!runs.has(behind)) runNotifications?.notify({ kind: "cancel", runId: behind });
    runs.interrupt(session);
  }

  /** Another runner says that a run's record asks for its end. Never throws. */
  async hear(runId: string): Promise<void> {
    const { runJournal, logger, runs } = this.#parts;
    const local = runs.get(runId);
    if (local === undefined) return;
    try {
      const record = await runJournal.get(runId);
      if (record?.cancelRequested === true || record?.status === "cancelled") await this.#heed(local, record);
    } catch (error) {
      // The run also sees the request with its next write, or when it renews its lease.
      logger.warn({ error, runId }, "a run's record cannot be read to cancel it");
    }
  }

  async #heed({ state }: LocalRun, record: RunRecord): Promise<void> {
    if (state.kind === "running") {
      state.abort.abort(new PlatformError("RUN_CANCELLED", "The run was cancelled on request."));
    } else if (isTerminal(record.status)) {
      state.leave.abort();
      await this.#parts.executor.announceEnd(record);
    }
  }
}
