import { PlatformError } from "#kit/errors/platform-error.ts";
import type { RunSignal } from "#kit/runner/run-signals.ts";
import type { Runner } from "#kit/runner/runner.ts";
import type { AppInfo, RunnerService, StartRunRequest } from "#kit/runner/runner-service.ts";
import type { StartedRun } from "#kit/runner/started-run.ts";
import { isTerminal, type RunRecord } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { RunnerDeps } from "./deps.ts";
import { describeApp } from "./describe-app.ts";
import { RemoteRuns, untilEnded } from "./remote-runs.ts";
import type { RunExecutor } from "./run-executor.ts";
import type { RunnerPool } from "./runner-pool.ts";

type Options = Pick<RunnerDeps, "agentLoader" | "runJournal" | "runSignals" | "clock" | "ids" | "logger" | "config"> & {
  readonly pool: RunnerPool;
  readonly executor: RunExecutor;
};

/** A run that this process knows of, until its end. */
interface LocalRun {
  readonly session: SessionKey;
  readonly ended: Promise<void>;
  /** Another runner wants to be told of the end. */
  isAwaited: boolean;
  state:
    | { readonly kind: "waiting"; readonly leave: () => void }
    | { readonly kind: "running"; readonly abort: AbortController };
}

type Begin = Parameters<Runner["beginRun"]>[0] & { readonly runId: string };

/** Executes runs in this process, each on its own; runs of one session one after another. */
export class InProcessRunnerService implements RunnerService, AsyncDisposable {
  readonly #options: Options;
  readonly #runs = new Map<string, LocalRun>();
  readonly #remote: RemoteRuns | undefined;
  #isStopping = false;

  constructor(options: Options) {
    this.#options = options;
    const { runSignals } = options;
    if (runSignals !== undefined) this.#remote = new RemoteRuns(runSignals, (signal) => this.#hear(signal));
  }

  async startRun(request: StartRunRequest): Promise<RunRecord> {
    this.#assertAccepting();
    const { agentLoader, pool } = this.#options;
    const { app } = await agentLoader.loadAgent(request.session.appName);
    const { runner, release } = pool.acquire(app);
    const begin = this.#toBegin(request);
    let outcome: Awaited<ReturnType<Runner["beginRun"]>>;
    try {
      outcome = await runner.beginRun(begin);
    } catch (error) {
      release();
      throw error;
    }
    switch (outcome.kind) {
      case "started":
        this.#execute(runner, outcome.run, release);
        return outcome.run.record;
      case "queued":
        release();
        if (begin.policy === "interrupt" || begin.policy === "rollback") this.#interrupt(begin.session, outcome.behind);
        this.#wait(begin, outcome.behind);
        return outcome.record;
      case "existing":
        release();
        return outcome.record;
      default:
        return outcome satisfies never;
    }
  }

  async cancelRun(runId: string): Promise<RunRecord> {
    const record = await this.#options.runJournal.cancel(runId);
    const local = this.#runs.get(runId);
    if (local !== undefined) await this.#heedCancel(local, record);
    else this.#remote?.send("cancel", runId);
    return record;
  }

  async listApps(): Promise<readonly string[]> {
    return this.#options.agentLoader.listAgents();
  }

  async describeApp(appName: string): Promise<AppInfo> {
    return describeApp(await this.#options.agentLoader.loadAgent(appName));
  }

  /** Resolves when no run is under way or in line. */
  async whenIdle(): Promise<void> {
    while (this.#runs.size > 0) await Promise.all([...this.#runs.values()].map(({ ended }) => ended));
  }

  /** Ends what is under way as interrupted, with its event stored, and takes nothing new. */
  async abortRuns(): Promise<void> {
    this.#isStopping = true;
    const runs = [...this.#runs.values()];
    for (const { state } of runs) {
      if (state.kind === "waiting") state.leave();
      else state.abort.abort(new PlatformError("RUN_INTERRUPTED", "The server was shut down before the run ended."));
    }
    await Promise.all(runs.map(({ ended }) => ended));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.abortRuns();
    this.#remote?.[Symbol.dispose]();
    await this.#options.pool[Symbol.asyncDispose]();
  }

  #toBegin({ session, request, policy, idempotencyKey, timeoutMs }: StartRunRequest): Begin {
    const { config, clock, ids } = this.#options;
    return {
      runId: ids.next(),
      session,
      request,
      maxQueued: config.MAX_QUEUED_RUNS,
      ...(policy !== undefined && { policy }),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      ...(timeoutMs !== undefined && { deadline: clock.now() + timeoutMs }),
    };
  }

  #execute(runner: Runner, run: StartedRun, release: () => void): void {
    const { runId, session } = run.record;
    const ended = this.#options.executor.execute(runner, run).finally(() => {
      this.#forget(runId);
      release();
    });
    this.#runs.set(runId, { session, ended, isAwaited: false, state: { kind: "running", abort: run.abort } });
  }

  #wait(begin: Begin, behind: string): void {
    const left = Promise.withResolvers<void>();
    const local: LocalRun = {
      session: begin.session,
      ended: this.#takeTurn(begin, behind, left.promise)
        .catch((error: unknown) => this.#giveUp(begin, error))
        .finally(() => this.#forget(begin.runId)),
      isAwaited: false,
      state: { kind: "waiting", leave: left.resolve },
    };
    this.#runs.set(begin.runId, local);
  }

  /** Asks for the session's lease each time the run ahead has ended, until the run may start or somebody called it off. */
  async #takeTurn(begin: Begin, behind: string, left: Promise<void>): Promise<void> {
    const { agentLoader, pool, executor, logger } = this.#options;
    let hasLeft = false;
    void left.then(() => {
      hasLeft = true;
    });
    let ahead = behind;
    for (let looks = 0; ; looks += 1) {
      await Promise.race([this.#ended(ahead, looks), left]);
      if (hasLeft) return;
      const { app } = await agentLoader.loadAgent(begin.session.appName);
      const { runner, release } = pool.acquire(app);
      try {
        const outcome = await runner.beginRun(begin);
        if (outcome.kind === "existing") return await executor.announceEnd(outcome.record);
        if (outcome.kind === "started") return await this.#executeInTurn(runner, outcome.run);
        if (outcome.behind !== ahead) looks = 0;
        ahead = outcome.behind;
      } catch (error) {
        // The place in line is kept by the store, and outlives its absence.
        if (!isRetryable(error)) throw error;
        logger.warn({ error, runId: begin.runId }, "waiting run cannot be started yet");
      } finally {
        release();
      }
    }
  }

  async #executeInTurn(runner: Runner, run: StartedRun): Promise<void> {
    const local = this.#runs.get(run.record.runId);
    if (local !== undefined) local.state = { kind: "running", abort: run.abort };
    // Called off between the journal's answer and here: the run is recorded as running, so it has to end in good order.
    if (this.#isStopping)
      run.abort.abort(new PlatformError("RUN_INTERRUPTED", "The server was shut down before the run began."));
    await this.#options.executor.execute(runner, run);
  }

  async #ended(runId: string, looks: number): Promise<void> {
    const local = this.#runs.get(runId);
    await (local === undefined ? untilEnded(this.#remote, runId, looks) : local.ended);
  }

  #forget(runId: string): void {
    const local = this.#runs.get(runId);
    this.#runs.delete(runId);
    if (local?.isAwaited === true) this.#remote?.send("ended", runId);
  }

  /** What another runner says of a run of this one. A poke proves nothing: the record does. */
  #hear({ kind, runId }: RunSignal): void {
    const local = this.#runs.get(runId);
    if (local === undefined) return;
    if (kind === "awaited") local.isAwaited = true;
    if (kind !== "cancel") return;
    const { runJournal, logger } = this.#options;
    const heed = (record: RunRecord | undefined): Promise<void> | undefined =>
      record?.cancelRequested === true || record?.status === "cancelled" ? this.#heedCancel(local, record) : undefined;
    // The run also sees the request with its next write, or when it renews its lease.
    const onError = (error: unknown): void =>
      logger.warn({ error, runId }, "a run's record cannot be read to cancel it");
    runJournal.get(runId).then(heed).catch(onError);
  }

  async #heedCancel({ state }: LocalRun, record: RunRecord): Promise<void> {
    if (state.kind === "running") {
      state.abort.abort(new PlatformError("RUN_CANCELLED", "The run was cancelled on request."));
    } else if (isTerminal(record.status)) {
      state.leave();
      await this.#options.executor.announceEnd(record);
    }
  }

  /** A run in line that cannot start, as when its app was taken away: nobody else would ever end it. */
  async #giveUp({ runId, session }: Begin, error: unknown): Promise<void> {
    const { runJournal, executor, logger } = this.#options;
    logger.error({ error, runId, sessionId: session.id }, "waiting run could not be started");
    try {
      await executor.announceEnd(await runJournal.cancel(runId));
    } catch (cancelError) {
      logger.error({ error: cancelError, runId }, "waiting run could not be cancelled");
    }
  }

  #interrupt({ appName, userId, id }: SessionKey, behind: string): void {
    if (!this.#runs.has(behind)) this.#remote?.send("cancel", behind);
    for (const { session, state } of this.#runs.values()) {
      if (session.id !== id || session.userId !== userId || session.appName !== appName) continue;
      if (state.kind === "running") {
        state.abort.abort(new PlatformError("RUN_CANCELLED", "A newer message took this run's place."));
      }
    }
  }

  #assertAccepting(): void {
    if (this.#isStopping)
      throw new PlatformError("SERVER_SHUTTING_DOWN", "The server is shutting down. Try again soon.");
  }
}

function isRetryable(error: unknown): boolean {
  return error instanceof PlatformError && (error.code === "UNAVAILABLE" || error.code === "DEADLINE_EXCEEDED");
}
