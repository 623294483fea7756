import type { App } from "#kit/core/app.ts";
import type { AppInfo, RunnerService, StartRunRequest } from "#kit/runs/runner-service.ts";
import type { RunNotification } from "#kit/runs/stream/run-notifications.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { Owner } from "#shared/metrics/named-counts.ts";
import { currentCallScope } from "#shared/security/call-scope.ts";
import { describeApp } from "./describe-app.ts";
import { beginRun, type NamedBegin } from "./execution/begin-run.ts";
import { LocalRuns } from "./execution/local-runs.ts";
import { RunCancels } from "./execution/run-cancels.ts";
import type { RunnerParts } from "./execution/runner-parts.ts";
import type { RunnerLoad } from "./metrics/run-observer.ts";
import { RunLine } from "./queue/run-line.ts";
import type { TakeUpOutcome } from "./recovery/run-reaper.ts";
import { RunTakeUps } from "./recovery/run-take-ups.ts";
import { createPlatformSlots } from "./slots/platform-slots.ts";
import { busy } from "./slots/run-limits.ts";
import { RunSlots } from "./slots/run-slots.ts";

/** Executes runs in this process, each on its own; runs of one session one after another. */
export class InProcessRunnerService implements RunnerService, AsyncDisposable {
  readonly #parts: RunnerParts;
  readonly #line: RunLine;
  readonly #cancels: RunCancels;
  readonly #takeUps: RunTakeUps;
  readonly #hearing: Disposable | undefined;
  /** By the names that their callers gave them. */
  readonly #starting = new Map<string, Promise<RunRecord>>();

  constructor(options: Omit<RunnerParts, "slots" | "runs">) {
    const { config, observer, runNotifications } = options;
    const parts = {
      ...options,
      slots: new RunSlots(config, createPlatformSlots(options)),
      runs: new LocalRuns(options),
    };
    const line = new RunLine(parts);
    this.#parts = parts;
    this.#line = line;
    this.#cancels = new RunCancels(parts);
    this.#takeUps = new RunTakeUps({ ...parts, line, isStarting: (runId) => this.#starting.has(runId) });
    this.#hearing = runNotifications?.onNotify((notification) => this.#hear(notification));
    observer?.watchLoad?.(() => this.load);
  }

  async startRun(request: StartRunRequest): Promise<RunRecord> {
    const { runId } = request;
    if (runId === undefined) return this.#start(request);
    const { runJournal, runs } = this.#parts;
    // Asked again, because the answer was lost: the journal would let this process have the run twice.
    const known = runs.has(runId) || this.#takeUps.has(runId) ? await runJournal.get(runId) : undefined;
    if (known !== undefined) return known;
    const starting = this.#starting.get(runId) ?? this.#start(request).finally(() => this.#starting.delete(runId));
    this.#starting.set(runId, starting);
    return starting;
  }

  async cancelRun(runId: string): Promise<RunRecord> {
    return this.#cancels.cancel(runId);
  }

  async listApps(): Promise<readonly string[]> {
    return this.#parts.agentLoader.listAgents();
  }

  async describeApp(appName: string): Promise<AppInfo> {
    return describeApp(await this.#parts.agentLoader.loadAgent(appName));
  }

  get load(): RunnerLoad {
    return { busySlots: this.#parts.slots.busy, ...this.#parts.runs.load };
  }

  /** Takes up a run that nobody executes, if it is to be had. Never throws. */
  async takeUp(record: RunRecord): Promise<TakeUpOutcome> {
    return this.#takeUps.takeUp(record);
  }

  /** Resolves when no run is under way or in line. */
  async whenIdle(): Promise<void> {
    await this.#parts.runs.whenIdle();
  }

  /** Takes up nothing more, and leaves the runs in line to other runners. What is under way goes on. */
  drain(): void {
    this.#parts.runs.drain();
  }

  /** Ends what is under way as interrupted, with its event stored, and takes nothing new. */
  async abortRuns(): Promise<void> {
    await this.#parts.runs.stop("RUN_INTERRUPTED");
  }

  /** Gives up what is under way and in line, for other runners to go on with, and takes nothing new. */
  async handOverRuns(): Promise<void> {
    this.#parts.runs.drain();
    await this.#parts.runs.stop("RUN_HANDED_OVER");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.abortRuns();
    this.#hearing?.[Symbol.dispose]();
    this.#line[Symbol.dispose]();
    await this.#parts.pool[Symbol.asyncDispose]();
  }

  async #start(request: StartRunRequest): Promise<RunRecord> {
    const { agentLoader, runs, slots } = this.#parts;
    runs.assertAccepting();
    this.#assertMayQueue(request.session);
    const slot = slots.take(request.session);
    const leaveSlot = typeof slot === "function" ? slot : await slot;
    let keepsSlot = false;
    try {
      const { app } = await agentLoader.loadAgent(request.session.appName);
      const begin = this.#toBegin(request, app);
      const outcome = await beginRun(this.#parts, app, begin, leaveSlot);
      keepsSlot = outcome.kind === "started";
      if (outcome.kind === "started") return outcome.run.record;
      const { invocationId } = outcome.record;
      if (outcome.kind === "queued") this.#enqueue({ ...begin, invocationId }, outcome.behind);
      return outcome.record;
    } finally {
      if (!keepsSlot) leaveSlot();
    }
  }

  /** Whether the run will be queued is known when it is recorded, which is too late to refuse it. */
  #assertMayQueue(owner: Owner): void {
    const { config, runs } = this.#parts;
    const most = config.MAX_QUEUED_RUNS_PER_USER;
    if (most > 0 && runs.queuedOf(owner) >= most) throw busy("MAX_QUEUED_RUNS_PER_USER");
  }

  #toBegin({ session, request, idempotencyKey, timeoutMs, ...given }: StartRunRequest, app: App): NamedBegin {
    const { config, clock, ids } = this.#parts;
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

  #enqueue(begin: NamedBegin, behind: string): void {
    if (begin.policy === "interrupt" || begin.policy === "rollback") this.#cancels.interrupt(begin.session, behind);
    this.#line.join(begin, behind);
  }

  /** Handles a notification of another runner, which proves nothing: the run's record does. */
  #hear({ kind, runId }: RunNotification): void {
    if (kind === "awaited") this.#parts.runs.noteAwaited(runId);
    if (kind === "cancel") void this.#cancels.hear(runId);
    if (kind === "available") void this.#takeUps.hear(runId);
  }
}
