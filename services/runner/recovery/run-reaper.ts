import { tenantKey } from "#kit/names/tenant.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";

/**
 * Result of trying to recover a run. After `no-app`, another runner with newer apps may be able to execute the run; after
 * `no-client`, a live run's client may call again, here or on another runner; after `no-revision`, another runner can have
 * the version of the app that the run began with.
 */
export type RecoveryOutcome = "recovered" | "no-slot" | "not-available" | RunMiss;

/** Why a run cannot be executed here, and is ended if that stays so. */
export type RunMiss = "no-app" | "no-client" | "no-revision";

export interface RunReaperOptions {
  readonly runJournal: RunJournal;
  readonly leaseMs: number;
  readonly logger: Logger;
  /** Never throws. */
  readonly recover: (run: RunRecord, options: { readonly mayMove: boolean }) => Promise<RecoveryOutcome>;
  /** How long a run waits for a runner with its agent revision. */
  readonly revisionWaitMs: number;
  readonly clock: Pick<Clock, "monotonic">;
  /** Ends a run that no runner can execute. Never throws. */
  readonly giveUp: (run: RunRecord, miss: RunMiss) => Promise<void>;
}

/** The most runs that one scan recovers; the next scan recovers more. */
const MAX_RUNS = 100;
/**
 * Number of consecutive scans without the run's app, or a live run's client, after which the run is ended; until then
 * other runners may have it. Clients look for the next runner for several leases.
 */
const MAX_MISSES = { "no-app": 3, "no-client": 8 } as const;

/** How often a run was missed in consecutive scans, and when first. */
interface Misses {
  readonly count: number;
  readonly since: number;
}

/**
 * Recovers runs that no runner executes: those whose lease has expired, and queued runs that no process holds.
 *
 * The reaper owns one timer, from `start` until it is disposed of. Each scan lists the abandoned runs of the journal
 * and calls `recover` for each; every runner does so, and the journal grants a run to one of them. The pause between
 * scans is random, so that runners that started together do not scan together, and short enough that a run continues
 * within two leases of the last renewal by its lost runner. A run whose app or client is missing in `MAX_MISSES` scans
 * is ended. One whose agent revision is missing for `revisionWaitMs` may be moved to the present one, or is ended.
 */
export class RunReaper implements Disposable {
  readonly #options: RunReaperOptions;
  /** The keys come from `tenantKey`. */
  #misses: ReadonlyMap<string, Misses> = new Map();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(options: RunReaperOptions) {
    this.#options = options;
  }

  /** Schedules scans until the reaper is disposed of. */
  start(): void {
    if (this.#isStopped) return;
    const delayMs = (this.#options.leaseMs / 2) * (0.5 + Math.random() / 2);
    this.#timer = setTimeout(() => void this.look().finally(() => this.start()), delayMs).unref();
  }

  /** Performs one scan and returns the number of recovered runs. Never throws. */
  async look(): Promise<number> {
    const { runJournal, leaseMs, logger } = this.#options;
    try {
      return await this.#recoverAll(await runJournal.listAbandoned({ minAgeMs: leaseMs, limit: MAX_RUNS }));
    } catch (error) {
      logger.warn({ error }, "abandoned runs cannot be listed");
      return 0;
    }
  }

  [Symbol.dispose](): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #recoverAll(runs: readonly RunRecord[]): Promise<number> {
    const misses = new Map<string, Misses>();
    const now = this.#options.clock.monotonic();
    let recovered = 0;
    for (const run of runs) {
      if (this.#isStopped) break;
      const name = tenantKey(run.runId, run.session.tenantId);
      const { count, since } = this.#misses.get(name) ?? { count: 0, since: now };
      const hasWaited = count > 0 && now - since >= this.#options.revisionWaitMs;
      const outcome = await this.#options.recover(run, { mayMove: hasWaited });
      if (outcome === "recovered") recovered += 1;
      if (outcome !== "no-app" && outcome !== "no-client" && outcome !== "no-revision") continue;
      const isOver = outcome === "no-revision" ? hasWaited : count + 1 >= MAX_MISSES[outcome];
      if (isOver) await this.#options.giveUp(run, outcome);
      else misses.set(name, { count: count + 1, since });
    }
    this.#misses = misses;
    return recovered;
  }
}
