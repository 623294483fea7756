import type { Clock } from "#kit/platform/clock.ts";
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

export interface DueWork<Due extends { readonly dueMs: number }> {
  /** The first items in the order of their times, also future ones. */
  readonly listDue: (limit: number) => Promise<readonly Due[]>;
  /** Never throws. False if nothing could be decided: the item is due again when its lease ends. */
  readonly decide: (due: Due) => Promise<boolean>;
  readonly clock: Clock;
  readonly loop: Pick<DueLoop, "isStopped">;
}

/** A page of items that are due. */
const PAGE = 100;
/** Items that are decided at the same time. */
const MAX_WORK = 10;

/** One look of a loop whose items are decided one by one: see `DueLoopOptions.lookOnce`. */
export async function decideDue<Due extends { readonly dueMs: number }>({
  listDue,
  decide,
  clock,
  loop,
}: DueWork<Due>): Promise<number | "again" | undefined> {
  const listed = await listDue(PAGE);
  const due = listed.filter(({ dueMs }) => dueMs <= clock.now());
  let failed = 0;
  for (let start = 0; start < due.length && !loop.isStopped; start += MAX_WORK) {
    const done = await Promise.all(due.slice(start, start + MAX_WORK).map(decide));
    failed += done.filter((isDone) => !isDone).length;
  }
  // Those that failed are still due, or leased: a look at once would find them again.
  if (failed > 0) return AFTER_FAILED_LOOK_MS;
  if (due.length > 0) return "again";
  const [next] = listed;
  return next && Math.max(next.dueMs - clock.now(), 0);
}
