import type { RunMeter } from "#kit/budget/run-meter.ts";
import { ConcurrencyLimit } from "#kit/core/executor.ts";
import { PlatformError, toPlatformError } from "#kit/errors/platform-error.ts";
import { createEvalSetResult, type EvalCaseResult } from "#kit/evaluation/eval-result.ts";
import { defaultModelRegistry } from "#kit/models/registry/model-registry.ts";
import { inTenant } from "#kit/names/tenant.ts";
import { lazy } from "#kit/platform/lazy.ts";
import { allByIndex } from "#ports/evaluation-jobs/all-by-index.ts";
import type { EvalJobKey } from "#ports/evaluation-jobs/eval-job.ts";
import type { ClaimedEvalJob, EvalJobEnd } from "#ports/evaluation-jobs/eval-job-store.ts";
import type { AppInfo } from "#ports/runs/runner-service.ts";
import { JobLease } from "./job-lease.ts";
import { meterOfJob } from "./job-meter.ts";
import type { JobSession } from "./job-session.ts";
import { JudgeAnswerCache } from "./judge-answer-cache.ts";
import { JudgeModels } from "./judge-models.ts";
import { runJobCase } from "./run-job-case.ts";
import { untilAvailable } from "./until-available.ts";
import type { EvalWorkerDeps } from "./worker-deps.ts";

/** Why the work on a job ended before its cases were done. */
type Stop =
  | { readonly kind: "cancelled" }
  | { readonly kind: "timed-out" }
  | { readonly kind: "handed-over" }
  | { readonly kind: "lost"; readonly error: unknown }
  | { readonly kind: "failed"; readonly error: unknown };

/** The work of this process on one job. */
export class EvalJobRun {
  /** Resolves when this process has ended its work on the job. Never rejects. */
  readonly ended: Promise<void>;
  readonly #deps: EvalWorkerDeps;
  readonly #claimed: ClaimedEvalJob;
  readonly #judgeModels: JudgeModels;
  readonly #lease: JobLease;
  readonly #answers: JudgeAnswerCache;
  readonly #meter: RunMeter | undefined;
  readonly #sessions = new Set<JobSession>();
  /** Once it is aborted, no further work on the job begins. */
  readonly #work = new AbortController();
  /** Ends the calls of models. */
  readonly #models = new AbortController();
  #stop: Stop | undefined;

  constructor(deps: EvalWorkerDeps, claimed: ClaimedEvalJob) {
    this.#deps = deps;
    this.#claimed = claimed;
    this.#judgeModels = new JudgeModels(deps.config.EVAL_JUDGE_MODELS, (name) => defaultModelRegistry.resolve(name));
    this.#lease = new JobLease(deps, {
      claimed,
      onCancel: () => this.#end({ kind: "cancelled" }),
      onLost: (error) => this.#end({ kind: "lost", error }),
    });
    this.#answers = new JudgeAnswerCache({
      store: deps.evalJobStore,
      lease: claimed.lease,
      assertUsable: () => this.#lease.assertUsable(),
      untilAvailable: (work) => untilAvailable(work, { ...deps, signal: this.#models.signal }),
      signal: this.#models.signal,
      onLost: (error) => this.#end(stopOf(error)),
    });
    this.#meter = meterOfJob(deps, {
      job: claimed.job,
      signal: this.#work.signal,
      assertUsable: () => this.#lease.assertUsable(),
      onRefused: (error) => this.#end(stopOf(error)),
    });
    this.ended = this.#run();
  }

  /** Reads immediately whether the job was cancelled. */
  look(): void {
    void this.#lease.look();
  }

  /**
   * Begins no further work, so that another worker can continue. Answers to model calls in progress are stored first.
   */
  handOver(): void {
    this.#end({ kind: "handed-over" });
  }

  /** Stops waiting for answers of models. */
  abandonAnswers(): void {
    this.#models.abort(new StoppedError("abandoned"));
  }

  async #run(): Promise<void> {
    const { logger } = this.#deps;
    const { jobId } = this.#claimed.job;
    try {
      await this.#finish(await this.#outcome());
    } catch (error) {
      // The lease expires, and the next worker continues.
      logger.warn({ jobId, error }, "the end of an evaluation cannot be stored");
    } finally {
      this.#lease[Symbol.dispose]();
    }
  }

  async #outcome(): Promise<Stop | undefined> {
    const { config, clock } = this.#deps;
    const { createdTime } = this.#claimed.job;
    const leftMs = createdTime + config.EVAL_TIMEOUT_MS - clock.now();
    const late = setTimeout(() => this.#end({ kind: "timed-out" }), Math.max(leftMs, 0)).unref();
    try {
      if (this.#claimed.job.attempts > MAX_ATTEMPTS) throw tooManyAttempts();
      await this.#runCases();
      this.#work.signal.throwIfAborted();
      await this.#saveResult();
    } catch (error) {
      this.#end(stopOf(error));
    } finally {
      clearTimeout(late);
    }
    await this.#answers.settled();
    return this.#stop;
  }

  async #runCases(): Promise<void> {
    const { config } = this.#deps;
    const limit = new ConcurrencyLimit(config.EVAL_PARALLEL_CASES);
    const { signal } = this.#work;
    const options = {
      ...{ claimed: this.#claimed, answers: this.#answers, sessions: this.#sessions, signal },
      call: this.#call,
      registry: this.#judgeModels.registry,
      models: this.#judgeModels.asked((model) => this.#meter?.model(model) ?? model),
      credentials: this.#deps.credentialsOf(this.#claimed),
      describeApp: this.#describeApp(),
    };
    const waiting = await this.#waitingCases();
    const results = await Promise.allSettled(
      waiting.map((index) =>
        limit.execute(async () => {
          signal.throwIfAborted();
          await runJobCase(this.#deps, index, options).catch((error: unknown) => {
            // The other cases begin no further work.
            this.#end(stopOf(error));
            throw error;
          });
        }),
      ),
    );
    for (const result of results) if (result.status === "rejected") throw result.reason;
  }

  /** Asks for the app once, at the first turn, if a metric asks a judge, whose prompts name agents and tools. */
  #describeApp(): (() => Promise<AppInfo>) | undefined {
    const { runnerService } = this.#deps;
    const { metrics, appName } = this.#claimed.job;
    if (!metrics.some(({ metricName }) => this.#judgeModels.registry.asksJudge(metricName))) return undefined;
    return lazy(() => this.#call(() => runnerService.describeApp(appName)));
  }

  async #waitingCases(): Promise<readonly number[]> {
    const { evalJobStore } = this.#deps;
    const key = keyOf(this.#claimed);
    const waiting: number[] = [];
    const cases = allByIndex((place) => this.#call(() => evalJobStore.listCases({ ...key, ...place })));
    for await (const { index, status } of cases) if (status !== "done") waiting.push(index);
    return waiting;
  }

  async #saveResult(): Promise<void> {
    const { evalJobStore, evalStore } = this.#deps;
    const { job } = this.#claimed;
    const key = keyOf(this.#claimed);
    const evalCaseResults: EvalCaseResult[] = [];
    const results = allByIndex((place) => this.#call(() => evalJobStore.listResults({ ...key, ...place })));
    for await (const { result } of results) evalCaseResults.push(result);
    const { appName, evalSetId, resultTimestamp: creationTimestamp } = job;
    const result = createEvalSetResult(appName, { evalSetId, evalCaseResults, creationTimestamp });
    await this.#call(async () => {
      // A deletion of the job waits for its worker to store the result, but no longer than the lease.
      this.#lease.assertUsable();
      await evalStore.saveEvalSetResult({ ...inTenant(job.tenantId), appName }, result);
    });
  }

  /** Makes the call, and repeats it while a service or store that it needs is unavailable. */
  readonly #call = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const { signal } = this.#work;
    return untilAvailable(work, { ...this.#deps, signal });
  };

  async #finish(stop: Stop | undefined): Promise<void> {
    const { evalJobStore, logger } = this.#deps;
    const { lease, job } = this.#claimed;
    const log = { jobId: job.jobId };
    if (stop?.kind === "lost") return logger.info({ ...log, error: stop.error }, "an evaluation has another worker");
    if (stop?.kind === "handed-over") return evalJobStore.release(lease);
    if (stop !== undefined) await this.#cancelRuns();
    if (stop?.kind === "failed") logger.warn({ ...log, error: stop.error }, "an evaluation failed");
    const signal = AbortSignal.timeout(FINISH_MS);
    await untilAvailable(() => evalJobStore.finish(lease, endOf(stop)), { ...this.#deps, signal });
  }

  async #cancelRuns(): Promise<void> {
    const { logger, sleep, clock } = this.#deps;
    const signal = AbortSignal.timeout(FINISH_MS);
    for (const session of this.#sessions) {
      await untilAvailable(() => session.cancel(), { sleep, clock, signal }).catch((error: unknown) =>
        logger.warn({ jobId: this.#claimed.job.jobId, error }, "a run of an evaluation continues"),
      );
    }
  }

  /** Only the first call has an effect. */
  #end(stop: Stop): void {
    if (this.#stop !== undefined) return;
    this.#stop = stop;
    const reason = new StoppedError(stop.kind);
    this.#work.abort(reason);
    if (stop.kind !== "handed-over") this.#models.abort(reason);
  }
}

/** How long the worker tries to store the end of a job. */
const FINISH_MS = 60_000;

/** How many workers a job may lose before it fails, because the job itself may crash them. */
const MAX_ATTEMPTS = 50;

function tooManyAttempts(): PlatformError {
  const message = `The processes that ran this evaluation were lost ${MAX_ATTEMPTS} times. Run it in smaller parts.`;
  return new PlatformError("EVAL_WORKERS_LOST", message);
}

/** The reason of an aborted signal. Not shown to anybody. */
class StoppedError extends Error {}

function stopOf(error: unknown): Stop {
  const isLost = error instanceof PlatformError && error.reason === "LEASE_LOST";
  return { kind: isLost ? "lost" : "failed", error };
}

function endOf(stop: Stop | undefined): EvalJobEnd {
  switch (stop?.kind) {
    case undefined:
      return { status: "succeeded" };
    case "cancelled":
      return { status: "cancelled" };
    case "timed-out": {
      const message =
        "The evaluation did not end within EVAL_TIMEOUT_MS. The results of its finished cases can be read.";
      return { status: "failed", error: { reason: "EVAL_TIMED_OUT", message } };
    }
    default: {
      const { reason, message } = toPlatformError(stop !== undefined && "error" in stop ? stop.error : undefined);
      return { status: "failed", error: { reason, message } };
    }
  }
}

function keyOf({ job }: ClaimedEvalJob): EvalJobKey {
  return { ...inTenant(job.tenantId), jobId: job.jobId };
}
