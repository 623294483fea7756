import { sleep } from "#kit/platform/sleep.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import { inCallScope } from "#shared/security/call-scope.ts";
import { beginRun } from "../execution/begin-run.ts";
import type { RunnerParts } from "../execution/runner-parts.ts";
import { resumptionScope, takeUpKind } from "../execution/taken-up-run.ts";
import type { RunLine } from "../queue/run-line.ts";
import type { LeaveSlot } from "../slots/run-limits.ts";
import type { TakeUpOutcome } from "./run-reaper.ts";

type TakeUpParts = Pick<
  RunnerParts,
  "agentLoader" | "runJournal" | "observer" | "logger" | "config" | "pool" | "executor" | "slots" | "runs"
> & {
  readonly line: RunLine;
  /** Whether the run's first begin is on its way. */
  readonly isStarting: (runId: string) => boolean;
};

/** Runners that are told of a run in nobody's hands do not all ask for it at once. */
const MAX_NOTIFY_DELAY_MS = 25;

/** Goes on with runs that nobody executes. */
export class RunTakeUps {
  readonly #parts: TakeUpParts;
  /** Runs whose begin is on its way for the second time or later: the journal would let this process have one twice. */
  readonly #takingUp = new Set<string>();

  constructor(parts: TakeUpParts) {
    this.#parts = parts;
  }

  /** Whether the run is being taken up at this moment. */
  has(runId: string): boolean {
    return this.#takingUp.has(runId);
  }

  /** Takes the run up, if it is to be had. Never throws. */
  async takeUp(record: RunRecord): Promise<TakeUpOutcome> {
    const { runs, slots, logger, isStarting } = this.#parts;
    const { runId, session } = record;
    if (runs.isDraining || runs.has(runId) || this.#takingUp.has(runId) || isStarting(runId)) return "not-mine";
    this.#takingUp.add(runId);
    let leaveSlot: LeaveSlot | undefined;
    try {
      const slot = await slots.tryTake(session, { hasRecord: record.status === "running" });
      if (slot === undefined) return "no-room";
      leaveSlot = slot;
      const begun = await inCallScope(resumptionScope(record), () => this.#begin(record, slot));
      // The run's own by now.
      if (begun === "started") leaveSlot = undefined;
      return begun === "started" || begun === "waiting" ? "taken" : begun;
    } catch (error) {
      // It stays where it is, to be found again.
      logger.warn({ error, runId }, "a run in nobody's hands cannot be taken up");
      return "not-mine";
    } finally {
      this.#takingUp.delete(runId);
      leaveSlot?.();
    }
  }

  /** Another runner says that it has given the run up. Never throws. */
  async hear(runId: string): Promise<void> {
    const { runJournal, runs, logger } = this.#parts;
    if (runs.isDraining || runs.has(runId)) return;
    try {
      await sleep(Math.random() * MAX_NOTIFY_DELAY_MS);
      const record = await runJournal.get(runId);
      if (record?.status === "pending") await this.takeUp(record);
    } catch (error) {
      // The next look finds it.
      logger.warn({ error, runId }, "a run that was given up cannot be read");
    }
  }

  async #begin(record: RunRecord, leaveSlot: LeaveSlot): Promise<"started" | "waiting" | "no-app" | "not-mine"> {
    const { agentLoader, config, logger, observer, line } = this.#parts;
    const { runId, session, request, policy, invocationId } = record;
    const loaded = await agentLoader.loadAgent(session.appName).catch((error: unknown) => {
      logger.warn({ error, runId }, "the app of a run in nobody's hands cannot be loaded here");
    });
    if (loaded === undefined) return "no-app";
    const begin = { runId, session, request, policy, invocationId };
    const outcome = await beginRun(this.#parts, loaded.app, begin, leaveSlot);
    if (outcome.kind === "existing") return "not-mine";
    if (outcome.kind === "queued") {
      line.join(begin, outcome.behind);
      return "waiting";
    }
    const { run } = outcome;
    observer?.runTakenUp?.(takeUpKind(run.record, config));
    logger.info({ runId, sessionId: session.id, attempts: run.record.attempts }, "run taken up");
    return "started";
  }
}
