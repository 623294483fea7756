import { TransientMap } from "#kit/cache/transient-map.ts";
import type { App } from "#kit/core/app.ts";
import { tenantKey } from "#kit/names/tenant.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { LiveProgress, LiveRunnerService, RunLiveRequest } from "#ports/runs/live-runner-service.ts";
import type { RunNotification } from "#ports/runs/run-notifications.ts";
import type { AppInfo, RunnerService, StartRunRequest } from "#ports/runs/runner-service.ts";
import type { CountedUser } from "#shared/metrics/named-counts.ts";
import { currentCallScope } from "#shared/security/call-scope.ts";
import { beginRun, type NamedBegin } from "./execution/begin-run.ts";
import { RunCancels } from "./execution/run-cancels.ts";
import type { RunnerServiceDeps } from "./execution/runner-service-deps.ts";
import { RunsInProcess } from "./execution/runs-in-process.ts";
import { LiveRuns } from "./live-runs.ts";
import type { RunnerLoad } from "./metrics/run-observer.ts";
import { RunQueue } from "./queue/run-queue.ts";
import type { RecoveryOutcome } from "./recovery/run-reaper.ts";
import { type RecoveryOptions, RunRecovery } from "./recovery/run-recovery.ts";
import type { AppState } from "./revisions/agent-revisions.ts";
import { createPlatformSlots } from "./slots/platform-slots.ts";
import { busy } from "./slots/run-limits.ts";
import { RunSlots } from "./slots/run-slots.ts";

/**
 * Executes runs in this process: runs of different sessions concurrently, runs of one session one after another.
 *
 * It owns the run queue, cancellation, recovery and the subscription to other runners' notifications, and closes the
 * pool of runners. A run is starting, queued or active here (`RunsInProcess`); `drain` leaves queued runs to other runners,
 * `abortRuns` and `handOverRuns` also end the active ones.
 */
export class InProcessRunnerService implements RunnerService, LiveRunnerService, AsyncDisposable {
  readonly #parts: RunnerServiceDeps;
  readonly #queue: RunQueue;
  readonly #cancels: RunCancels;
  readonly #recovery: RunRecovery;
  readonly #live: LiveRuns;
  readonly #subscription: Disposable | undefined;
  /** Begins in progress, by the `tenantKey` of the run ids that their callers chose. */
  readonly #starting = new TransientMap<string, Promise<RunRecord>>();

  constructor(options: Omit<RunnerServiceDeps, "slots" | "runs">) {
    const { config, observer, runNotifications } = options;
    const parts = {
      ...options,
      slots: new RunSlots(config, createPlatformSlots(options)),
      runs: new RunsInProcess(options),
    };
    const queue = new RunQueue(parts);
    this.#parts = parts;
    this.#queue = queue;
    this.#cancels = new RunCancels(parts);
    this.#recovery = new RunRecovery({ ...parts, queue, isStarting: (run) => this.#isStarting(run) });
    this.#live = new LiveRuns({
      ...parts,
      recovery: this.#recovery,
      cancels: this.#cancels,
      startRun: (request) => this.startRun(request),
    });
    this.#subscription = runNotifications?.onNotify((notification) => this.#handle(notification));
    observer?.watchLoad?.(() => this.load);
  }

  async startRun(request: StartRunRequest): Promise<RunRecord> {
    const { runId, session } = request;
    if (runId === undefined) return this.#start(request);
    const { tenantId } = session;
    const { runJournal, runs } = this.#parts;
    // A repeated call, whose answer was lost, must not begin the run again: the journal grants a holder the same run
    // twice.
    const isKnown = runs.has(runId, tenantId) || this.#recovery.has(runId, tenantId);
    const known = isKnown ? await runJournal.get(runId, tenantId) : undefined;
    if (known !== undefined) return known;
    const name = tenantKey(runId, tenantId);
    const starting = this.#starting.get(name) ?? this.#start(request).finally(() => this.#starting.delete(name));
    this.#starting.set(name, starting);
    return starting;
  }

  runLive(request: RunLiveRequest): AsyncIterable<LiveProgress> {
    return this.#live.run(request);
  }

  async cancelRun(runId: string, tenantId?: string): Promise<RunRecord> {
    return this.#cancels.cancel(runId, tenantId);
  }

  async listApps(): Promise<readonly string[]> {
    return this.#parts.agentLoader.listAgents();
  }

  async describeApp(appName: string): Promise<AppInfo> {
    const loaded = await this.#parts.revisions.active(appName);
    // Imported on first use, because it loads the planners, which most apps do not need.
    const { describeApp } = await import("./describe-app.ts");
    return describeApp(loaded);
  }

  /** The apps that this runner has, with the agent revisions that it has loaded, or why it cannot load them. */
  async readApps(): Promise<readonly AppState[]> {
    return this.#parts.revisions.read();
  }

  get load(): RunnerLoad {
    return { busySlots: this.#parts.slots.busy, ...this.#parts.runs.load };
  }

  /** Recovers a run that no runner executes, if it is available. Never throws. */
  async recover(record: RunRecord, options?: RecoveryOptions): Promise<RecoveryOutcome> {
    return this.#recovery.recover(record, options);
  }

  /** Resolves when no run is active or queued. */
  async whenIdle(): Promise<void> {
    await this.#parts.runs.whenIdle();
  }

  /** Recovers no more runs, and leaves queued runs to other runners. Active runs continue. */
  drain(): void {
    this.#parts.runs.drain();
  }

  /** Hands over the active live runs: their clients continue them on other runners. */
  handOverLiveRuns(): void {
    this.#live.handOver();
  }

  /** Ends active runs as interrupted, with an error event, and accepts no new ones. */
  async abortRuns(): Promise<void> {
    await this.#parts.runs.stop("RUN_INTERRUPTED");
  }

  /** Hands over active and queued runs to other runners, and accepts no new ones. */
  async handOverRuns(): Promise<void> {
    this.#parts.runs.drain();
    await this.#parts.runs.stop("RUN_HANDED_OVER");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.abortRuns();
    this.#subscription?.[Symbol.dispose]();
    this.#queue[Symbol.dispose]();
    this.#parts.revisions[Symbol.dispose]();
    await this.#parts.pool[Symbol.asyncDispose]();
  }

  async #start(request: StartRunRequest): Promise<RunRecord> {
    const { revisions, runs, slots } = this.#parts;
    runs.assertAccepting();
    this.#assertMayQueue(request.session);
    const slot = slots.take({ ...request.session, keyId: request.request.keyId });
    const leaveSlot = typeof slot === "function" ? slot : await slot;
    let keepsSlot = false;
    try {
      const loaded = await revisions.active(request.session.appName, request.session.id);
      const { app } = loaded;
      // Before the run is recorded.
      if (request.request.live !== undefined) app.rootAgent.assertLive();
      const begin = this.#toBegin(request, app);
      const outcome = await beginRun(this.#parts, begin, { place: { loaded }, leaveSlot });
      keepsSlot = outcome.kind === "started";
      if (outcome.kind === "started") {
        // No caller gets a run that a loss of power can undo. The run is executed meanwhile.
        await outcome.run.durable;
        return outcome.run.record;
      }
      const { invocationId } = outcome.record;
      if (outcome.kind === "left") runs.leave(outcome.record);
      if (outcome.kind === "queued") this.#enqueue({ ...begin, invocationId }, outcome.behind);
      return outcome.record;
    } finally {
      if (!keepsSlot) leaveSlot();
    }
  }

  /** Checked for every run: whether it is queued is known only when it is recorded, which is too late to refuse it. */
  #assertMayQueue(owner: CountedUser): void {
    const { config, runs } = this.#parts;
    const most = config.MAX_QUEUED_RUNS_PER_USER;
    if (most > 0 && runs.queuedOf(owner) >= most) throw busy("MAX_QUEUED_RUNS_PER_USER");
  }

  #toBegin(
    { session, request, idempotencyKey, streamKey, timeoutMs, ...given }: StartRunRequest,
    app: App,
  ): NamedBegin {
    const { config, clock, ids } = this.#parts;
    const traceParent = currentCallScope()?.traceParent;
    return {
      runId: given.runId ?? ids.next(),
      session,
      request: traceParent === undefined ? request : { ...request, traceParent },
      maxQueued: config.MAX_QUEUED_RUNS,
      policy: given.policy ?? app.concurrencyPolicy ?? config.CONCURRENCY_POLICY,
      idempotencyKey,
      streamKey,
      deadline: timeoutMs === undefined ? undefined : clock.now() + timeoutMs,
    };
  }

  #isStarting({ runId, session }: RunRecord): boolean {
    return this.#starting.has(tenantKey(runId, session.tenantId));
  }

  #enqueue(begin: NamedBegin, behind: string): void {
    if (begin.policy === "interrupt" || begin.policy === "rollback") this.#cancels.interrupt(begin.session, behind);
    this.#queue.join(begin, behind);
  }

  /** Handles another runner's notification. It is only a hint: the run's record decides. */
  #handle({ kind, runId, tenantId }: RunNotification): void {
    if (kind === "awaited") this.#parts.runs.noteAwaited(runId, tenantId);
    if (kind === "claimed") this.#live.handOverClaimed(runId, tenantId);
    if (kind === "cancel") void this.#cancels.handleNotification(runId, tenantId);
    if (kind === "available") void this.#recovery.handleAvailable(runId, tenantId);
  }
}
