import { outsideCallScope } from "#shared/security/call-scope.ts";
import type { EvalJobRun } from "./eval-job-run.ts";
import type { EvalWorkerDeps } from "./worker-deps.ts";

/** How often the store is asked for jobs whose worker was lost, and for jobs of other processes. */
const SCAN_MS = 1000;
const PRUNE_MS = 60 * 60 * 1000;
const PRUNED_AT_A_TIME = 100;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Runs the jobs of a store: each job has one worker at a time, whichever process it is in. */
export class EvalWorker implements AsyncDisposable {
  readonly #deps: EvalWorkerDeps;
  readonly #runs = new Set<EvalJobRun>();
  #timer: NodeJS.Timeout | undefined;
  #scanning: Promise<void> | undefined;
  #isAskedAgain = false;
  #isStarted = false;
  #isStopped = false;
  #prunedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: EvalWorkerDeps) {
    this.#deps = deps;
  }

  /** Claims jobs until the worker is disposed of. */
  start(): void {
    this.#isStarted = true;
    this.wake();
  }

  /** Claims no more jobs, and continues those that it has. */
  drain(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Looks for jobs to claim, and whether its own were cancelled. */
  wake(): void {
    for (const run of this.#runs) run.look();
    if (!this.#isStarted || this.#isStopped) return;
    if (this.#scanning !== undefined) {
      this.#isAskedAgain = true;
      return;
    }
    clearTimeout(this.#timer);
    // Jobs do not run in the call scope of the request that started them.
    this.#scanning = outsideCallScope(() => this.#scan()).finally(() => {
      this.#scanning = undefined;
      if (this.#isStopped) return;
      const isAsked = this.#isAskedAgain;
      this.#isAskedAgain = false;
      if (isAsked) this.wake();
      else this.#timer = setTimeout(() => this.#tick(), SCAN_MS * (0.75 + Math.random() / 2)).unref();
    });
  }

  /** Begins nothing more, and hands the jobs of this process over. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.drain();
    // Jobs in progress are handed over immediately; a job that a scan in progress claims, after the scan.
    for (const run of this.#runs) run.handOver();
    await this.#scanning;
    for (const run of this.#runs) run.handOver();
    await Promise.all([...this.#runs].map(({ ended }) => ended));
  }

  /** Hands the jobs of this process over without waiting for answers of models. */
  abandon(): void {
    this.drain();
    for (const run of this.#runs) {
      run.handOver();
      run.abandonAnswers();
    }
  }

  #tick(): void {
    if (this.#scanning === undefined) this.wake();
  }

  /** Never rejects. */
  async #scan(): Promise<void> {
    const { logger } = this.#deps;
    try {
      await this.#claim();
      await this.#prune();
    } catch (error) {
      logger.warn({ error }, "evaluations cannot be claimed");
    }
  }

  async #claim(): Promise<void> {
    const { evalJobStore, config, holder } = this.#deps;
    const room = config.EVAL_MAX_JOBS - this.#runs.size;
    if (room <= 0) return;
    const claimable = await evalJobStore.listClaimable(room);
    if (claimable.length === 0) return;
    // Imported on first use: most servers run no evaluations, and start faster without the metrics.
    const { EvalJobRun: Run } = await import("./eval-job-run.ts");
    for (const key of claimable) {
      if (this.#isStopped) return;
      const claimed = await evalJobStore.claim(key, { holder, leaseMs: config.EVAL_LEASE_MS });
      if (claimed === undefined) continue;
      const run = new Run(this.#deps, claimed);
      this.#runs.add(run);
      void run.ended.then(() => {
        this.#runs.delete(run);
        this.wake();
      });
    }
  }

  async #prune(): Promise<void> {
    const { evalJobStore, clock, config } = this.#deps;
    if (clock.monotonic() - this.#prunedAt < PRUNE_MS) return;
    this.#prunedAt = clock.monotonic();
    const before = clock.now() - config.EVAL_RETENTION_DAYS * DAY_MS;
    while ((await evalJobStore.prune(before, PRUNED_AT_A_TIME)) === PRUNED_AT_A_TIME) if (this.#isStopped) return;
  }
}
