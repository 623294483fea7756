import type { App } from "#kit/agents/app.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { sleep } from "#kit/platform/sleep.ts";
import type { RunSignal } from "#kit/runner/run-signals.ts";
import type { Runner } from "#kit/runner/runner.ts";
import type { BeginOutcome } from "#kit/runner/runner-options.ts";
import type { AppInfo, RunnerService, StartRunRequest } from "#kit/runner/runner-service.ts";
import type { StartedRun } from "#kit/runner/started-run.ts";
import { isTerminal, type RunRecord } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { currentCallScope, inCallScope } from "#shared/call-scope.ts";
import type { RunnerDeps } from "./deps.ts";
import { describeApp } from "./describe-app.ts";
import { createPlatformSlots } from "./platform-slots.ts";
import { RemoteRuns, untilEnded } from "./remote-runs.ts";
import type { RunExecutor } from "./run-executor.ts";
import type { LeaveSlot } from "./run-limits.ts";
import type { RunnerLoad } from "./run-observer.ts";
import type { TakeUpOutcome } from "./run-reaper.ts";
import { RunSlots } from "./run-slots.ts";
import type { RunnerPool } from "./runner-pool.ts";
import { abortIfNotToGoOn, resumptionScope, takeUpKind } from "./taken-up-run.ts";

type Options = Pick<
  RunnerDeps,
  "agentLoader" | "runJournal" | "runSignals" | "runQuota" | "observer" | "clock" | "ids" | "logger" | "config"
> & {
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
    | { readonly kind: "waiting"; readonly since: number; readonly leave: AbortController }
    | { readonly kind: "running"; readonly abort: AbortController };
}

type Begin = Parameters<Runner["beginRun"]>[0] & { readonly runId: string };

/** How a process that ends leaves its runs: ended, or for another one to go on with. */
type StopReason = "RUN_INTERRUPTED" | "RUN_HANDED_OVER";

/** Runners that are told of a run in nobody's hands do not all ask for it at once. */
const MAX_POKE_DELAY_MS = 25;

/** Executes runs in this process, each on its own; runs of one session one after another. */
export class InProcessRunnerService implements RunnerService, AsyncDisposable {
  readonly #options: Options;
  readonly #runs = new Map<string, LocalRun>();
  /** Runs whose begin is on its way for the second time or later: the journal would let this process have one twice. */
  readonly #takingUp = new Set<string>();
  /** By the names that their callers gave them. */
  readonly #starting = new Map<string, Promise<RunRecord>>();
  readonly #remote: RemoteRuns | undefined;
  readonly #slots: RunSlots;
  #isDraining = false;
  #stopReason: StopReason | undefined;

  constructor(options: Options) {
    this.#options = options;
    this.#slots = new RunSlots(options.config, createPlatformSlots(options));
    options.observer?.watchLoad?.(() => this.load);
    const { runSignals } = options;
    if (runSignals !== undefined) this.#remote = new RemoteRuns(runSignals, (signal) => this.#hear(signal));
  }

  async startRun(request: StartRunRequest): Promise<RunRecord> {
    const { runId } = request;
    if (runId === undefined) return this.#start(request);
    // Asked again, because the answer was lost: the journal would let this process have the run twice.
    const known = this.#runs.has(runId) ? await this.#options.runJournal.get(runId) : undefined;
    if (known !== undefined) return known;
    const starting = this.#starting.get(runId) ?? this.#start(request).finally(() => this.#starting.delete(runId));
    this.#starting.set(runId, starting);
    return starting;
  }

  async #start(request: StartRunRequest): Promise<RunRecord> {
    this.#assertAccepting();
    const slot = this.#slots.take(request.session);
    const leaveSlot = typeof slot === "function" ? slot : await slot;
    let keepsSlot = false;
    try {
      const { app } = await this.#options.agentLoader.loadAgent(request.session.appName);
      const begin = this.#toBegin(request, app);
      const outcome = await this.#begin(app, begin, leaveSlot);
      keepsSlot = outcome.kind === "started";
      if (outcome.kind === "started") return outcome.run.record;
      if (outcome.kind === "queued") {
        if (begin.policy === "interrupt" || begin.policy === "rollback") this.#interrupt(begin.session, outcome.behind);
        this.#wait(begin, outcome.behind);
      }
      return outcome.record;
    } finally {
      if (!keepsSlot) leaveSlot();
    }
  }

  /** Takes up a run that nobody executes, if it is to be had. Never throws. */
  async takeUp(record: RunRecord): Promise<TakeUpOutcome> {
    const { runId, session } = record;
    if (this.#isDraining || this.#runs.has(runId) || this.#takingUp.has(runId) || this.#starting.has(runId))
      return "not-mine";
    this.#takingUp.add(runId);
    let leaveSlot: LeaveSlot | undefined;
    let outcome: TakeUpOutcome | "waiting" = "not-mine";
    try {
      const slot = await this.#slots.tryTake(session, { hasRecord: record.status === "running" });
      if (slot === undefined) return "no-room";
      leaveSlot = slot;
      outcome = await inCallScope(resumptionScope(record), () => this.#takeUp(record, slot));
    } catch (error) {
      // It stays where it is, to be found again.
      this.#options.logger.warn({ error, runId }, "a run in nobody's hands cannot be taken up");
    } finally {
      this.#takingUp.delete(runId);
      if (outcome !== "taken") leaveSlot?.();
    }
    return outcome === "waiting" ? "taken" : outcome;
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

  get load(): RunnerLoad {
    const now = this.#options.clock.monotonic();
    let queued = 0;
    let oldestQueuedMs = 0;
    for (const { state } of this.#runs.values()) {
      if (state.kind === "running") continue;
      queued += 1;
      oldestQueuedMs = Math.max(oldestQueuedMs, now - state.since);
    }
    return { busySlots: this.#slots.busy, queued, oldestQueuedMs };
  }

  /** Takes up nothing more, and leaves the runs in line to other runners. What is under way goes on. */
  drain(): void {
    if (this.#isDraining) return;
    this.#isDraining = true;
    for (const [runId, { ended, state }] of this.#runs) {
      if (state.kind === "waiting") this.#leaveLine(runId, ended, state.leave);
    }
  }

  /** Ends what is under way as interrupted, with its event stored, and takes nothing new. */
  async abortRuns(): Promise<void> {
    await this.#stop("RUN_INTERRUPTED");
  }

  /** Gives up what is under way and in line, for other runners to go on with, and takes nothing new. */
  async handOverRuns(): Promise<void> {
    this.drain();
    await this.#stop("RUN_HANDED_OVER");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.abortRuns();
    this.#remote?.[Symbol.dispose]();
    await this.#options.pool[Symbol.asyncDispose]();
  }

  async #stop(reason: StopReason): Promise<void> {
    this.#stopReason ??= reason;
    this.#isDraining = true;
    const runs = [...this.#runs.values()];
    for (const { state } of runs) {
      if (state.kind === "waiting") state.leave.abort();
      else state.abort.abort(stopError(this.#stopReason));
    }
    await Promise.all(runs.map(({ ended }) => ended));
  }

  #leaveLine(runId: string, ended: Promise<void>, leave: AbortController): void {
    leave.abort();
    void ended.then(() => this.#remote?.send("available", runId));
  }

  #toBegin({ session, request, idempotencyKey, timeoutMs, ...given }: StartRunRequest, app: App): Begin {
    const { config, clock, ids } = this.#options;
    const traceParent = currentCallScope()?.traceParent;
    return {
      runId: given.runId ?? ids.next(),
      session,
      request: traceParent === undefined ? request : { ...request, traceParent },
      maxQueued: config.MAX_QUEUED_RUNS,
      policy: given.policy ?? app.concurrencyPolicy ?? config.CONCURRENCY_POLICY,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      ...(timeoutMs !== undefined && { deadline: clock.now() + timeoutMs }),
    };
  }

  /** Begins the run and executes it when it may start; its slot is then left at its end. */
  async #begin(app: App, begin: Begin, leaveSlot: LeaveSlot): Promise<BeginOutcome> {
    const { runner, release } = this.#options.pool.acquire(app);
    let outcome: BeginOutcome | undefined;
    try {
      outcome = await runner.beginRun(begin);
    } finally {
      if (outcome?.kind !== "started") release();
    }
    if (outcome.kind !== "started") return outcome;
    const { run } = outcome;
    const ended = this.#executeToEnd(runner, run).finally(() => {
      this.#forget(begin.runId);
      release();
      leaveSlot();
    });
    const session = begin.session;
    this.#runs.set(begin.runId, { session, ended, isAwaited: false, state: { kind: "running", abort: run.abort } });
    return outcome;
  }

  async #takeUp(record: RunRecord, leaveSlot: LeaveSlot): Promise<TakeUpOutcome | "waiting"> {
    const { agentLoader, config, logger, observer } = this.#options;
    const { runId, session, request, policy } = record;
    const loaded = await agentLoader.loadAgent(session.appName).catch((error: unknown) => {
      logger.warn({ error, runId }, "the app of a run in nobody's hands cannot be loaded here");
    });
    if (loaded === undefined) return "no-app";
    const begin = { runId, session, request, policy };
    const outcome = await this.#begin(loaded.app, begin, leaveSlot);
    if (outcome.kind === "existing") return "not-mine";
    if (outcome.kind === "queued") {
      this.#wait(begin, outcome.behind);
      return "waiting";
    }
    const { run } = outcome;
    observer?.runTakenUp?.(takeUpKind(run.record, config));
    logger.info({ runId, sessionId: session.id, attempts: run.record.attempts }, "run taken up");
    return "taken";
  }

  #wait(begin: Begin, behind: string): void {
    const leave = new AbortController();
    const local: LocalRun = {
      session: begin.session,
      ended: this.#takeTurn(begin, behind, leave.signal)
        .catch((error: unknown) => this.#giveUp(begin, error))
        .finally(() => this.#forget(begin.runId)),
      isAwaited: false,
      state: { kind: "waiting", since: this.#options.clock.monotonic(), leave },
    };
    this.#runs.set(begin.runId, local);
    if (this.#isDraining) this.#leaveLine(begin.runId, local.ended, leave);
  }

  /** Asks for the session's lease each time the run ahead has ended, until the run may start or somebody called it off. */
  async #takeTurn(begin: Begin, behind: string, left: AbortSignal): Promise<void> {
    const { agentLoader, pool, executor, logger } = this.#options;
    const hasLeft = aborted(left);
    let ahead = behind;
    for (let looks = 0; ; looks += 1) {
      await Promise.race([this.#ended(ahead, looks), hasLeft]);
      const leaveSlot = left.aborted ? undefined : await this.#slots.wait(begin.session, left);
      if (leaveSlot === undefined) return;
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
        leaveSlot();
      }
    }
  }

  async #executeInTurn(runner: Runner, run: StartedRun): Promise<void> {
    const local = this.#runs.get(run.record.runId);
    if (local !== undefined) local.state = { kind: "running", abort: run.abort };
    await this.#executeToEnd(runner, run);
  }

  async #executeToEnd(runner: Runner, run: StartedRun): Promise<void> {
    // Called off between the journal's answer and here: the run is recorded as running, so it has to be left in good order.
    if (this.#stopReason !== undefined) run.abort.abort(stopError(this.#stopReason));
    if (run.record.attempts > 1) abortIfNotToGoOn(run, this.#options.config);
    const left = await this.#options.executor.execute(runner, run);
    if (left?.status === "pending") this.#remote?.send("available", left.runId);
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
    if (kind === "available") void this.#hearAvailable(runId);
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

  async #hearAvailable(runId: string): Promise<void> {
    if (this.#isDraining || this.#runs.has(runId)) return;
    try {
      await sleep(Math.random() * MAX_POKE_DELAY_MS);
      const record = await this.#options.runJournal.get(runId);
      if (record?.status === "pending") await this.takeUp(record);
    } catch (error) {
      // The next look finds it.
      this.#options.logger.warn({ error, runId }, "a run that was given up cannot be read");
    }
  }

  async #heedCancel({ state }: LocalRun, record: RunRecord): Promise<void> {
    if (state.kind === "running") {
      state.abort.abort(new PlatformError("RUN_CANCELLED", "The run was cancelled on request."));
    } else if (isTerminal(record.status)) {
      state.leave.abort();
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
    if (this.#stopReason !== undefined)
      throw new PlatformError("SERVER_SHUTTING_DOWN", "The server is shutting down. Try again soon.");
  }
}

function stopError(reason: StopReason): PlatformError {
  return new PlatformError(reason, "The server was shut down before the run ended.");
}

function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  else signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}

function isRetryable(error: unknown): boolean {
  return error instanceof PlatformError && (error.code === "UNAVAILABLE" || error.code === "DEADLINE_EXCEEDED");
}
