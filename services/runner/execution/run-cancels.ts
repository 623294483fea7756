import { PlatformError } from "#kit/errors/platform-error.ts";
import { inTenant } from "#kit/names/tenant.ts";
import { isTerminal, type RunRecord } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { RunnerServiceDeps } from "./runner-service-deps.ts";
import { inScopeOf, type LocalRun } from "./runs-in-process.ts";

type CancelParts = Pick<RunnerServiceDeps, "runJournal" | "runNotifications" | "logger" | "executor" | "runs">;

/** Cancels runs: those of this process directly, and those of other runners by a notification. */
export class RunCancels {
  readonly #parts: CancelParts;

  constructor(parts: CancelParts) {
    this.#parts = parts;
  }

  /** Requests the run's cancellation in the journal and returns the record. Throws `RUN_NOT_FOUND`. */
  async cancel(runId: string, tenantId?: string): Promise<RunRecord> {
    const { runJournal, runNotifications, runs } = this.#parts;
    const record = await runJournal.cancel(runId, tenantId);
    const local = runs.get(runId, tenantId);
    if (local === undefined) runNotifications?.notify({ kind: "cancel", runId, ...inTenant(tenantId) });
    else await this.#end(local, record);
    return record;
  }

  /** Cancels the active runs of the session, after the journal has recorded that a newer message replaces them. */
  interrupt(session: SessionKey, behind: string): void {
    const { runNotifications, runs } = this.#parts;
    const { tenantId } = session;
    if (!runs.has(behind, tenantId)) runNotifications?.notify({ kind: "cancel", runId: behind, ...inTenant(tenantId) });
    runs.interrupt(session);
  }

  /** Handles another runner's notification that a run is to be cancelled; the run's record decides. Never throws. */
  async handleNotification(runId: string, tenantId?: string): Promise<void> {
    const { runJournal, logger, runs } = this.#parts;
    const local = runs.get(runId, tenantId);
    if (local === undefined) return;
    try {
      const record = await inScopeOf(local, () => runJournal.get(runId, tenantId));
      if (record?.cancelRequested === true || record?.status === "cancelled") await this.#end(local, record);
    } catch (error) {
      // The run also gets the request with its next write, or when it renews its lease.
      logger.warn({ error, runId }, "a run's record cannot be read to cancel it");
    }
  }

  async #end({ state }: LocalRun, record: RunRecord): Promise<void> {
    if (state.kind === "running") {
      state.abort.abort(new PlatformError("RUN_CANCELLED", "The run was cancelled on request."));
    } else if (isTerminal(record.status)) {
      state.leave.abort();
      await this.#parts.executor.announceEnd(record);
    }
  }
}
