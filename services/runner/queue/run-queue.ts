import { isUnavailable } from "#kit/errors/platform-error.ts";
import { inTenant, type TenantScoped } from "#kit/names/tenant.ts";
import { beginInPlace, type NamedBegin } from "../execution/begin-run.ts";
import type { RunnerServiceDeps } from "../execution/runner-service-deps.ts";
import { RemoteRunEnds } from "./await-remote-run.ts";

type QueueParts = Pick<
  RunnerServiceDeps,
  "revisions" | "runJournal" | "runNotifications" | "logger" | "pool" | "executor" | "slots" | "runs"
>;

/**
 * Longest wait for the end of a run of this process before the journal is asked again. A waiting run's grant lives for
 * twice as long, and each answer of the journal replaces it.
 */
const LOCAL_POLL_MS = 60_000;

/**
 * The queued runs of this process, each of which waits for its session.
 *
 * The journal keeps their order. Here each run waits for the end of the run ahead of it, takes a slot and asks the
 * journal for the session's lease. The answer starts the run, names another run to wait for, or reports that the run
 * has ended. A run leaves the queue when it is executed, cancelled or left to other runners; one that cannot start is
 * cancelled. The queue owns the subscription to notifications about other runners' runs.
 */
export class RunQueue implements Disposable {
  readonly #parts: QueueParts;
  readonly #remote: RemoteRunEnds;

  constructor(parts: QueueParts) {
    this.#parts = parts;
    this.#remote = new RemoteRunEnds(parts.runNotifications);
  }

  /** Executes the run when the runs ahead of it have ended, unless it leaves the queue before. */
  join(begin: NamedBegin, behind: string): void {
    this.#parts.runs.wait(begin, (left) =>
      this.#takeTurn(begin, behind, left).catch((error: unknown) => this.#giveUp(begin, error)),
    );
  }

  [Symbol.dispose](): void {
    this.#remote[Symbol.dispose]();
  }

  /** Asks for the session's lease each time the run ahead has ended, until the run starts or leaves the queue. */
  async #takeTurn(begin: NamedBegin, behind: string, left: AbortSignal): Promise<void> {
    const hasLeft = aborted(left);
    let ahead = behind;
    let polls = 0;
    for (;;) {
      await Promise.race([this.#ended({ runId: ahead, ...inTenant(begin.session.tenantId) }, polls), hasLeft]);
      const next = left.aborted ? undefined : await this.#tryBegin(begin, ahead, left);
      if (next === undefined) return;
      polls = next === ahead ? polls + 1 : 0;
      ahead = next;
    }
  }

  /** Resolves when the run has ended, or when it is time to poll. */
  #ended(ahead: TenantScoped & { readonly runId: string }, polls: number): Promise<void> {
    const local = this.#parts.runs.get(ahead.runId, ahead.tenantId);
    return local === undefined ? this.#remote.ended(ahead, polls) : endedOrDue(local.ended);
  }

  /**
   * Returns the run that is ahead now, or undefined if this one was executed, ended while queued, or left the queue.
   */
  async #tryBegin(begin: NamedBegin, ahead: string, left: AbortSignal): Promise<string | undefined> {
    const leaveSlot = await this.#parts.slots.wait({ ...begin.session, keyId: begin.request.keyId }, left);
    if (leaveSlot === undefined) return undefined;
    try {
      return await this.#beginInSlot(begin, ahead);
    } finally {
      leaveSlot();
    }
  }

  async #beginInSlot(begin: NamedBegin, ahead: string): Promise<string | undefined> {
    const { revisions, executor, runs, logger } = this.#parts;
    let release = (): void => {};
    try {
      const loaded = await revisions.active(begin.session.appName, begin.session.id);
      const begun = await beginInPlace(this.#parts, begin, { loaded });
      const { outcome, runner } = begun;
      release = begun.release;
      if (outcome.kind === "queued") return outcome.behind;
      if (outcome.kind === "left") {
        runs.leave(outcome.record);
        return undefined;
      }
      if (outcome.kind === "existing") {
        await executor.announceEnd(outcome.record);
        return undefined;
      }
      runs.startWaiting(outcome.run);
      await executor.execute(runner, outcome.run);
      return undefined;
    } catch (error) {
      // The store keeps the place in the queue, even while it is unavailable.
      if (!isUnavailable(error)) throw error;
      logger.warn({ error, runId: begin.runId }, "waiting run cannot be started yet");
      return ahead;
    } finally {
      release();
    }
  }

  /** Cancels a queued run that cannot start, for example because its app was removed: no other runner would end it. */
  async #giveUp({ runId, session }: NamedBegin, error: unknown): Promise<void> {
    const { runJournal, executor, logger } = this.#parts;
    logger.error(
      { error, runId, sessionId: session.id, ...inTenant(session.tenantId) },
      "waiting run could not be started",
    );
    try {
      await executor.announceEnd(await runJournal.cancel(runId, session.tenantId));
    } catch (cancelError) {
      logger.error({ error: cancelError, runId }, "waiting run could not be cancelled");
    }
  }
}

/** Resolves when the run has ended, and after `LOCAL_POLL_MS` at the latest. */
async function endedOrDue(ended: Promise<void>): Promise<void> {
  const due = Promise.withResolvers<void>();
  const timer = setTimeout(due.resolve, LOCAL_POLL_MS).unref();
  await Promise.race([ended, due.promise]).finally(() => clearTimeout(timer));
}

function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  else signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}
