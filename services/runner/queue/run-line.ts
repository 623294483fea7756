import { isUnavailable } from "#kit/errors/platform-error.ts";
import type { NamedBegin } from "../execution/begin-run.ts";
import type { RunnerParts } from "../execution/runner-parts.ts";
import { RemoteRuns } from "./remote-runs.ts";

type LineParts = Pick<
  RunnerParts,
  "agentLoader" | "runJournal" | "runNotifications" | "logger" | "pool" | "executor" | "slots" | "runs"
>;

/** Where runs of this process wait for their session. Their places are kept by the journal; here each waits for the one ahead. */
export class RunLine implements Disposable {
  readonly #parts: LineParts;
  readonly #remote: RemoteRuns;

  constructor(parts: LineParts) {
    this.#parts = parts;
    this.#remote = new RemoteRuns(parts.runNotifications);
  }

  /** Has the run executed in its turn, unless it leaves the line before. */
  join(begin: NamedBegin, behind: string): void {
    this.#parts.runs.wait(begin, (left) =>
      this.#takeTurn(begin, behind, left).catch((error: unknown) => this.#giveUp(begin, error)),
    );
  }

  [Symbol.dispose](): void {
    this.#remote[Symbol.dispose]();
  }

  /** Asks for the session's lease each time the run ahead has ended, until the run may start or somebody called it off. */
  async #takeTurn(begin: NamedBegin, behind: string, left: AbortSignal): Promise<void> {
    const hasLeft = aborted(left);
    let ahead = behind;
    let looks = 0;
    for (;;) {
      await Promise.race([this.#ended(ahead, looks), hasLeft]);
      const next = left.aborted ? undefined : await this.#tryBegin(begin, ahead, left);
      if (next === undefined) return;
      looks = next === ahead ? looks + 1 : 0;
      ahead = next;
    }
  }

  /** Resolves when the run has ended, or when it is time to look. */
  #ended(runId: string, looks: number): Promise<void> {
    return this.#parts.runs.get(runId)?.ended ?? this.#remote.ended(runId, looks);
  }

  /** The run that is ahead now; undefined when this one has been executed, had ended in line, or left it. */
  async #tryBegin(begin: NamedBegin, ahead: string, left: AbortSignal): Promise<string | undefined> {
    const leaveSlot = await this.#parts.slots.wait(begin.session, left);
    if (leaveSlot === undefined) return undefined;
    try {
      return await this.#beginInSlot(begin, ahead);
    } finally {
      leaveSlot();
    }
  }

  async #beginInSlot(begin: NamedBegin, ahead: string): Promise<string | undefined> {
    const { agentLoader, pool, executor, runs, logger } = this.#parts;
    const { app } = await agentLoader.loadAgent(begin.session.appName);
    const { runner, release } = pool.acquire(app);
    try {
      const outcome = await runner.beginRun(begin);
      if (outcome.kind === "queued") return outcome.behind;
      if (outcome.kind === "existing") {
        await executor.announceEnd(outcome.record);
        return undefined;
      }
      runs.startWaiting(outcome.run);
      await executor.execute(runner, outcome.run);
      return undefined;
    } catch (error) {
      // The place in line is kept by the store, and outlives its absence.
      if (!isUnavailable(error)) throw error;
      logger.warn({ error, runId: begin.runId }, "waiting run cannot be started yet");
      return ahead;
    } finally {
      release();
    }
  }

  /** A run in line that cannot start, as when its app was taken away: nobody else would ever end it. */
  async #giveUp({ runId, session }: NamedBegin, error: unknown): Promise<void> {
    const { runJournal, executor, logger } = this.#parts;
    logger.error({ error, runId, sessionId: session.id }, "waiting run could not be started");
    try {
      await executor.announceEnd(await runJournal.cancel(runId));
    } catch (cancelError) {
      logger.error({ error: cancelError, runId }, "waiting run could not be cancelled");
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  else signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}
