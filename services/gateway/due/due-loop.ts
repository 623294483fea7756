import type { Logger } from "#kit/platform/logger.ts";

export interface DueLoopOptions {
  /**
   * Handles what is due. Returns the milliseconds to the next time that is known; `again` if more may be due now, and
   * undefined if nothing has a time.
   */
  readonly lookOnce: () => Promise<number | "again" | undefined>;
  /** Whether other processes store work too, which this one finds by looking. */
  readonly isShared: boolean;
  readonly lookMs: number;
  readonly logger: Logger;
  /** The text of the log if the work cannot be read. */
  readonly problem: string;
}

const AFTER_FAILED_LOOK_MS = 5_000;

/**
 * Looks for work that has a time, one look after the other. One timer waits for the next time; there is none while the
 * process's own table is empty.
 */
export class DueLoop {
  readonly #options: DueLoopOptions;
  #looking: Promise<void> | undefined;
  /** Something became due while the process was looking. */
  #isCalled = false;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: DueLoopOptions) {
    this.#options = options;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Looks for what is due, now. */
  look(): void {
    if (this.#isStopped) return;
    this.#isCalled = true;
    this.#looking ??= this.#lookUntilQuiet().finally(() => {
      this.#looking = undefined;
      // Called after the last look had begun.
      if (this.#isCalled) this.look();
    });
  }

  /** Resolves when the look in progress has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#looking;
  }

  async #lookUntilQuiet(): Promise<void> {
    const { lookOnce, isShared, lookMs, logger, problem } = this.#options;
    while (this.#isCalled && !this.#isStopped) {
      this.#isCalled = false;
      clearTimeout(this.#timer);
      try {
        const nextMs = await lookOnce();
        if (nextMs === "again") this.#isCalled = true;
        else if (nextMs !== undefined || isShared) this.#lookLater(Math.min(nextMs ?? lookMs, lookMs));
      } catch (error) {
        logger.warn({ error }, problem);
        this.#lookLater(AFTER_FAILED_LOOK_MS);
      }
    }
  }

  #lookLater(delayMs: number): void {
    clearTimeout(this.#timer);
    if (!this.#isStopped) this.#timer = setTimeout(() => this.look(), delayMs).unref();
  }
}
