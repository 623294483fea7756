import { TransientMap } from "#kit/cache/transient-map.ts";

/**
 * Tracks the runs that one `Runner` executes, so that a queued run can wait for the end of the run ahead, and a run can
 * be cancelled. It contains only runs of this process; `Runner` polls the journal for runs of other processes. The
 * runner service does not use it to wait: its `RunQueue` (`services/runner/queue/run-queue.ts`) also waits for slots
 * and for notifications of other runners, and hands its runs over when the process drains.
 */
export class RunsOfThisRunner {
  readonly #active = new TransientMap<string, { readonly ended: Promise<void>; readonly cancel: () => void }>();

  /** Registers a run by its `tenantKey`, and how to cancel it; the returned function reports its end. */
  enter(runId: string, cancel: () => void): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#active.set(runId, { ended: promise, cancel });
    return () => {
      this.#active.delete(runId);
      resolve();
    };
  }

  /** Cancels the run if it runs here. */
  cancel(runId: string): void {
    this.#active.get(runId)?.cancel();
  }

  /** Resolves to true when the run has ended; to false immediately if it does not run here. */
  async ended(runId: string): Promise<boolean> {
    const run = this.#active.get(runId);
    if (run === undefined) return false;
    await run.ended;
    return true;
  }
}
