import { PlatformError } from "#kit/errors/platform-error.ts";
import { LeaseLostError } from "#kit/errors/session-errors.ts";
import { type EvalJob, isEnded } from "#ports/evaluation-jobs/eval-job.ts";
import type { ClaimedEvalJob } from "#ports/evaluation-jobs/eval-job-store.ts";
import type { EvalWorkerDeps } from "./worker-deps.ts";

/** Share of a lease; the rest allows for the latency of the store and for clocks of different speed. */
const USABLE_SHARE = 0.9;
/** How often the job is read, to detect its cancellation. */
const LOOK_MS = 1000;

type JobLeaseDeps = Pick<EvalWorkerDeps, "evalJobStore" | "clock" | "logger"> & {
  readonly config: Pick<EvalWorkerDeps["config"], "EVAL_LEASE_MS">;
};

export interface JobLeaseOptions {
  readonly claimed: ClaimedEvalJob;
  readonly onCancel: () => void;
  /** Called when another worker has the job or may have it. This worker must stop writing. */
  readonly onLost: (error: LeaseLostError) => void;
}

/** Renews the lease of a job and detects its cancellation, until it is disposed of. */
export class JobLease implements Disposable {
  readonly #deps: JobLeaseDeps;
  readonly #options: JobLeaseOptions;
  #keptAt: number;
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  #isStopped = false;

  constructor(deps: JobLeaseDeps, options: JobLeaseOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#keptAt = deps.clock.monotonic();
    this.#schedule();
  }

  /** Reads the job now, to detect its cancellation. Never throws. */
  async look(): Promise<void> {
    if (this.#isLooking || this.#isStopped) return;
    this.#isLooking = true;
    try {
      const job = await this.#read();
      if (job.cancelRequested) this.#options.onCancel();
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isLooking = false;
    }
  }

  /**
   * Throws `LEASE_LOST` if another worker may have the job. It compares the clock, because a process that was suspended
   * receives answers before its timers fire.
   */
  assertUsable(): void {
    const { clock, config } = this.#deps;
    if (clock.monotonic() - this.#keptAt > config.EVAL_LEASE_MS * USABLE_SHARE)
      throw new LeaseLostError(this.#options.claimed.job.jobId);
  }

  [Symbol.dispose](): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#isStopped) return;
    const everyMs = Math.min(LOOK_MS, this.#deps.config.EVAL_LEASE_MS / 6);
    this.#timer = setTimeout(() => {
      const { clock, config } = this.#deps;
      if (clock.monotonic() - this.#keptAt > config.EVAL_LEASE_MS * USABLE_SHARE)
        return this.#lose(new LeaseLostError(this.#options.claimed.job.jobId));
      void this.look();
      this.#schedule();
    }, everyMs).unref();
  }

  async #read(): Promise<EvalJob> {
    const { evalJobStore, clock, config } = this.#deps;
    const { lease, job } = this.#options.claimed;
    const now = clock.monotonic();
    if (now - this.#keptAt >= config.EVAL_LEASE_MS / 3) {
      const renewed = await evalJobStore.renew(lease, config.EVAL_LEASE_MS);
      this.#keptAt = now;
      return renewed;
    }
    const current = await evalJobStore.get(job);
    if (current === undefined || isEnded(current)) throw new LeaseLostError(job.jobId);
    return current;
  }

  #fail(error: unknown): void {
    const { jobId } = this.#options.claimed.job;
    if (this.#isStopped) return;
    if (error instanceof PlatformError && error.reason === "LEASE_LOST")
      return this.#lose(error instanceof LeaseLostError ? error : new LeaseLostError(jobId, error));
    this.#deps.logger.warn({ jobId, error }, "the lease of an evaluation cannot be renewed yet");
  }

  #lose(error: LeaseLostError): void {
    this[Symbol.dispose]();
    this.#options.onLost(error);
  }
}
