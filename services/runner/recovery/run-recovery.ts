import { inTenant, tenantKey } from "#kit/names/tenant.ts";
import { sleep } from "#kit/platform/sleep.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import { inCallScope } from "#shared/security/call-scope.ts";
import { beginRun } from "../execution/begin-run.ts";
import { recoveryKind, resumptionScope } from "../execution/recovered-run.ts";
import type { RunnerServiceDeps } from "../execution/runner-service-deps.ts";
import type { RunQueue } from "../queue/run-queue.ts";
import type { RevisionPlace } from "../revisions/agent-revisions.ts";
import type { LeaveSlot } from "../slots/run-limits.ts";
import type { RecoveryOutcome } from "./run-reaper.ts";

type RecoveryParts = Pick<
  RunnerServiceDeps,
  | "revisions"
  | "runNotifications"
  | "runJournal"
  | "observer"
  | "clock"
  | "logger"
  | "config"
  | "pool"
  | "executor"
  | "slots"
  | "runs"
  | "liveClients"
> & {
  readonly queue: RunQueue;
  /** Whether the run's first begin is in progress. */
  readonly isStarting: (run: RunRecord) => boolean;
};

export interface RecoveryOptions {
  /**
   * Whether the run continues with the present version of its app, if this runner does not have its own and
   * `AGENT_REVISION_POLICY` allows it. False if absent.
   */
  readonly mayMove?: boolean;
}

/** Longest random delay after a notification, so that notified runners do not all ask for the run at the same time. */
const MAX_NOTIFIED_DELAY_MS = 25;

/**
 * Recovers runs that no runner executes: it takes a slot, loads the run's app and asks the journal for the run's lease.
 * A granted run is executed here; one whose session is busy joins the run queue; any other outcome leaves the run in
 * the journal, where the next scan finds it. It owns the set of runs that are being recovered at the moment.
 */
export class RunRecovery {
  readonly #parts: RecoveryParts;
  /**
   * Runs with a recovery in progress, by `tenantKey`. A second begin must not start: the journal grants a holder the same run again.
   */
  readonly #recovering = new Set<string>();

  constructor(parts: RecoveryParts) {
    this.#parts = parts;
  }

  /** Whether a recovery of the run is in progress. */
  has(runId: string, tenantId?: string): boolean {
    return this.#recovering.has(tenantKey(runId, tenantId));
  }

  /** Recovers the run if it is available. Never throws. */
  async recover(record: RunRecord, { mayMove = false }: RecoveryOptions = {}): Promise<RecoveryOutcome> {
    const { runs, slots, logger, isStarting } = this.#parts;
    const { runId, session } = record;
    const { tenantId } = session;
    if (runs.isDraining || runs.has(runId, tenantId) || this.has(runId, tenantId) || isStarting(record))
      return "not-available";
    if (record.request.live !== undefined && !this.#parts.liveClients.has(record)) return "no-client";
    const name = tenantKey(runId, tenantId);
    this.#recovering.add(name);
    let leaveSlot: LeaveSlot | undefined;
    try {
      const owner = { ...session, keyId: record.request.keyId };
      const slot = await slots.tryTake(owner, { hasRecord: record.status === "running" });
      if (slot === undefined) return "no-slot";
      leaveSlot = slot;
      const begun = await inCallScope(resumptionScope(record), () => this.#begin(record, { leaveSlot: slot, mayMove }));
      // A started run releases the slot at its end.
      if (begun === "started") leaveSlot = undefined;
      return begun === "started" || begun === "waiting" ? "recovered" : begun;
    } catch (error) {
      // The run stays in the journal; the next scan finds it.
      logger.warn({ error, runId }, "an abandoned run cannot be recovered");
      return "not-available";
    } finally {
      this.#recovering.delete(name);
      leaveSlot?.();
    }
  }

  /** Handles the notification that another runner has handed over the run. Never throws. */
  async handleAvailable(runId: string, tenantId?: string): Promise<void> {
    const { runJournal, runs, logger } = this.#parts;
    if (runs.isDraining || runs.has(runId, tenantId)) return;
    try {
      await sleep(Math.random() * MAX_NOTIFIED_DELAY_MS);
      const record = await runJournal.get(runId, tenantId);
      if (record?.status === "pending") await this.recover(record);
    } catch (error) {
      // The next scan finds it.
      logger.warn({ error, runId }, "a run that was handed over cannot be read");
    }
  }

  async #begin(
    record: RunRecord,
    { leaveSlot, mayMove }: { readonly leaveSlot: LeaveSlot; readonly mayMove: boolean },
  ): Promise<"started" | "waiting" | "no-app" | "no-revision" | "not-available"> {
    const { clock, config, logger, observer, queue } = this.#parts;
    const { runId, session, request, policy, invocationId } = record;
    const place = await this.#placeOf(record, mayMove).catch((error: unknown) => {
      logger.warn({ error, runId }, "the app of an abandoned run cannot be loaded here");
      return "no-app" as const;
    });
    if (typeof place === "string") return place;
    const begin = { runId, session, request, policy, invocationId };
    const outcome = await beginRun(this.#parts, begin, { place, leaveSlot });
    if (outcome.kind === "existing" || outcome.kind === "left") return "not-available";
    if (outcome.kind === "queued") {
      queue.join(begin, outcome.behind);
      return "waiting";
    }
    const { run } = outcome;
    observer?.runRecovered?.(recoveryKind(run.record, config, clock.now()));
    logger.info(
      { runId, sessionId: session.id, ...inTenant(session.tenantId), attempts: run.record.attempts },
      "run recovered",
    );
    return "started";
  }

  /** The version of its app that executes the run here. Throws if the app cannot be loaded. */
  async #placeOf(
    { session, agentRevision, attempts }: RunRecord,
    mayMove: boolean,
  ): Promise<RevisionPlace | "no-revision"> {
    const { revisions, runNotifications, config } = this.#parts;
    const loaded = await revisions.active(session.appName, session.id);
    if (agentRevision === undefined) return { loaded };
    const own = await revisions.find(session.appName, agentRevision);
    if (own !== undefined) return { loaded: own };
    // A run that has not begun has nothing of the other version: it moves as its session does.
    const isAllowed = config.AGENT_REVISION_POLICY === "migrate" || attempts === 0;
    // A single process has no other runner to wait for.
    if (!isAllowed || !(mayMove || runNotifications === undefined)) return "no-revision";
    return { loaded, movesFrom: agentRevision };
  }
}
