import type { Logger } from "#kit/platform/logger.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";

/** What came of a try to take a run up: `no-app` may be another runner's to execute, whose apps are newer. */
export type TakeUpOutcome = "taken" | "no-room" | "no-app" | "not-mine";

export interface RunReaperOptions {
  readonly runJournal: RunJournal;
  readonly leaseMs: number;
  readonly logger: Logger;
  /** Never throws. */
  readonly takeUp: (run: RunRecord) => Promise<TakeUpOutcome>;
  /** Ends a run that no runner can execute. Never throws. */
  readonly giveUp: (run: RunRecord) => Promise<void>;
}

/** Runs that one look takes up at most; the next look takes more. */
const MAX_RUNS = 100;
/** How often a run is left to runners that may have its app. */
const MAX_MISSES = 3;

/**
 * Looks now and then for runs in nobody's hands and has them taken up. Every runner does; their journal lets one of them have a run. The
 * times between looks differ, so that runners that started together do not look together, and are short enough for a run to go on within
 * two leases of its runner's last sign.
 */
export class RunReaper implements Disposable {
  readonly #options: RunReaperOptions;
  #misses: ReadonlyMap<string, number> = new Map();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(options: RunReaperOptions) {
    this.#options = options;
  }

  /** Goes on looking until disposed of. */
  start(): void {
    if (this.#isStopped) return;
    const delayMs = (this.#options.leaseMs / 2) * (0.5 + Math.random() / 2);
    this.#timer = setTimeout(() => void this.look().finally(() => this.start()), delayMs).unref();
  }

  /** One look; gives how many runs were taken up. Never throws. */
  async look(): Promise<number> {
    const { runJournal, leaseMs, logger } = this.#options;
    try {
      return await this.#takeUpAll(await runJournal.listAbandoned({ minAgeMs: leaseMs, limit: MAX_RUNS }));
    } catch (error) {
      logger.warn({ error }, "runs in nobody's hands cannot be looked for");
      return 0;
    }
  }

  [Symbol.dispose](): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #takeUpAll(runs: readonly RunRecord[]): Promise<number> {
    const misses = new Map<string, number>();
    let taken = 0;
    for (const run of runs) {
      if (this.#isStopped) break;
      const outcome = await this.#options.takeUp(run);
      if (outcome === "taken") taken += 1;
      if (outcome !== "no-app") continue;
      const count = (this.#misses.get(run.runId) ?? 0) + 1;
      if (count < MAX_MISSES) misses.set(run.runId, count);
      else await this.#options.giveUp(run);
    }
    this.#misses = misses;
    return taken;
  }
}
