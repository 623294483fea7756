/** Lets runs of this process that wait for a session know when the run ahead has ended. */
export class RunTurns {
  readonly #active = new Map<string, { readonly ended: Promise<void>; readonly cancel: () => void }>();

  /** Announces a run and how to cancel it; the returned function announces its end. */
  enter(runId: string, cancel: () => void): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#active.set(runId, { ended: promise, cancel });
    return () => {
      this.#active.delete(runId);
      resolve();
    };
  }

  /** Cancels the run when it runs here. */
  cancel(runId: string): void {
    this.#active.get(runId)?.cancel();
  }

  /** Resolves when the run has ended; at once when it does not run here. */
  async ended(runId: string): Promise<boolean> {
    const run = this.#active.get(runId);
    if (run === undefined) return false;
    await run.ended;
    return true;
  }
}
