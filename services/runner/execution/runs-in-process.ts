import { TransientMap } from "#kit/cache/transient-map.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { inTenant, tenantKey } from "#kit/names/tenant.ts";
import type { StartedRun } from "#kit/runs/base/started-run.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import { isSameSession, type SessionKey } from "#kit/sessions/session.ts";
import type { RunNotification } from "#ports/runs/run-notifications.ts";
import { type CountedUser, NamedCounts, ownerName } from "#shared/metrics/named-counts.ts";
import { type CallScope, currentCallScope, inCallScope } from "#shared/security/call-scope.ts";
import type { RunnerDeps } from "../deps.ts";
import type { RunnerLoad } from "../metrics/run-observer.ts";

/** A run that this process executes or has queued. */
export interface LocalRun {
  readonly runId: string;
  readonly session: SessionKey;
  /** Resolves when the run has ended here or has left this process. */
  readonly ended: Promise<void>;
  /** The scope of the run's calls; absent where they carry nothing. */
  readonly scope: CallScope | undefined;
  /** Whether another runner has asked to be notified of the end. */
  isAwaited: boolean;
  state: LocalRunState;
}

type LocalRunState =
  | { readonly kind: "waiting"; readonly since: number; readonly leave: AbortController }
  | { readonly kind: "running"; readonly abort: AbortController };

type BegunRun = Pick<StartedRun, "abort" | "record">;

/** What a stopping process does with its runs: it ends them, or it hands them over to another runner. */
type StopReason = "RUN_INTERRUPTED" | "RUN_HANDED_OVER";

/**
 * The queued and active runs of this process, each from its begin until it has ended here or is left to other runners.
 *
 * A run is `waiting`, with the controller that removes it from the queue, or `running`, with the controller that aborts
 * it. Draining removes the waiting runs, including later ones, and notifies other runners; stopping also aborts the
 * active runs.
 */
export class RunsInProcess {
  readonly #options: Pick<RunnerDeps, "runNotifications" | "clock">;
  /** The keys come from `tenantKey`. */
  readonly #runs = new TransientMap<string, LocalRun>();
  readonly #queuedOfUsers = new NamedCounts();
  #isDraining = false;
  #stopReason: StopReason | undefined;

  constructor(options: Pick<RunnerDeps, "runNotifications" | "clock">) {
    this.#options = options;
  }

  /** Whether this process recovers no more runs. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  get load(): Omit<RunnerLoad, "busySlots"> {
    const now = this.#options.clock.monotonic();
    let queued = 0;
    let oldestQueuedMs = 0;
    for (const { state } of this.#runs.values()) {
      if (state.kind === "running") continue;
      queued += 1;
      oldestQueuedMs = Math.max(oldestQueuedMs, now - state.since);
    }
    return { queued, oldestQueuedMs };
  }

  /** Number of queued runs of the user in this process, over all sessions. */
  queuedOf(owner: CountedUser): number {
    return this.#queuedOfUsers.of(ownerName(owner));
  }

  has(runId: string, tenantId?: string): boolean {
    return this.#runs.has(tenantKey(runId, tenantId));
  }

  get(runId: string, tenantId?: string): LocalRun | undefined {
    return this.#runs.get(tenantKey(runId, tenantId));
  }

  /** Throws `SERVER_SHUTTING_DOWN` when no new run may begin. */
  assertAccepting(): void {
    if (this.#stopReason !== undefined)
      throw new PlatformError("SERVER_SHUTTING_DOWN", "The server is shutting down. Try again soon.");
  }

  /** The active runs, with the controllers that abort them. */
  *active(): Generator<Pick<LocalRun, "runId" | "session"> & { readonly abort: AbortController }> {
    for (const { runId, session, state } of this.#runs.values())
      if (state.kind === "running") yield { runId, session, abort: state.abort };
  }

  /** Adds an active run until `work` has ended. */
  start(run: BegunRun, work: () => Promise<void>): void {
    this.#abortIfStopped(run);
    const { runId, session } = run.record;
    const name = tenantKey(runId, session.tenantId);
    const ended = work().finally(() => this.#forget(name));
    const scope = currentCallScope();
    this.#runs.set(name, {
      runId,
      session,
      ended,
      scope,
      isAwaited: false,
      state: { kind: "running", abort: run.abort },
    });
  }

  /** Adds a queued run. When `left` is aborted, `work` ends without having started the run. */
  wait({ runId, session }: Pick<RunRecord, "runId" | "session">, work: (left: AbortSignal) => Promise<void>): void {
    const leave = new AbortController();
    const since = this.#options.clock.monotonic();
    const name = tenantKey(runId, session.tenantId);
    const ended = work(leave.signal).finally(() => this.#forget(name));
    const scope = currentCallScope();
    const run: LocalRun = { runId, session, ended, scope, isAwaited: false, state: { kind: "waiting", since, leave } };
    this.#runs.set(name, run);
    this.#queuedOfUsers.add(ownerName(session), 1);
    if (this.#isDraining) this.#release(run, leave);
  }

  /** Turns a queued run into an active one. */
  startWaiting(run: BegunRun): void {
    this.#abortIfStopped(run);
    const local = this.get(run.record.runId, run.record.session.tenantId);
    if (local === undefined) return;
    this.#countLeft(local);
    local.state = { kind: "running", abort: run.abort };
  }

  /** Records that another runner waits for the run's end, and must be notified of it. */
  noteAwaited(runId: string, tenantId?: string): void {
    const local = this.get(runId, tenantId);
    if (local !== undefined) local.isAwaited = true;
  }

  /** Aborts the active runs of the session. */
  interrupt(interrupted: SessionKey): void {
    for (const { session, state } of this.#runs.values()) {
      if (!isSameSession(session, interrupted)) continue;
      if (state.kind === "running")
        state.abort.abort(new PlatformError("RUN_CANCELLED", "A newer message took this run's place."));
    }
  }

  /** Notifies the other runners of a run that is recorded for one of them. */
  leave({ runId, session }: Pick<RunRecord, "runId" | "session">): void {
    this.#notify("available", { runId, session });
  }

  /** Resolves when there are none. */
  async whenIdle(): Promise<void> {
    while (this.#runs.size > 0) await Promise.all(this.#runs.values().map(({ ended }) => ended));
  }

  /** Leaves queued runs, including later ones, to other runners. Active runs continue. */
  drain(): void {
    if (this.#isDraining) return;
    this.#isDraining = true;
    for (const run of this.#runs.values()) {
      if (run.state.kind === "waiting") this.#release(run, run.state.leave);
    }
  }

  /** Aborts active runs, including later ones, and accepts no new ones. The first given reason is kept. */
  async stop(reason: StopReason): Promise<void> {
    this.#stopReason ??= reason;
    this.#isDraining = true;
    const runs = this.#runs.values();
    for (const { state } of runs) {
      if (state.kind === "waiting") state.leave.abort();
      else state.abort.abort(stopError(this.#stopReason));
    }
    await Promise.all(runs.map(({ ended }) => ended));
  }

  #forget(name: string): void {
    const local = this.#runs.get(name);
    if (local === undefined) return;
    this.#runs.delete(name);
    this.#countLeft(local);
    if (local.isAwaited) this.#notify("ended", local);
  }

  #countLeft({ session, state }: LocalRun): void {
    if (state.kind === "waiting") this.#queuedOfUsers.add(ownerName(session), -1);
  }

  #release(run: LocalRun, leave: AbortController): void {
    leave.abort();
    void run.ended.then(() => this.#notify("available", run));
  }

  #notify(kind: RunNotification["kind"], { runId, session }: Pick<LocalRun, "runId" | "session">): void {
    this.#options.runNotifications?.notify({ kind, runId, ...inTenant(session.tenantId) });
  }

  /**
   * Aborts a run that the journal granted while the process was stopping: its record is `running` and must be ended.
   */
  #abortIfStopped({ abort }: BegunRun): void {
    if (this.#stopReason !== undefined) abort.abort(stopError(this.#stopReason));
  }
}

/** Makes the work's calls for the run. */
export function inScopeOf<Result>({ scope }: Pick<LocalRun, "scope">, work: () => Result): Result {
  return scope === undefined ? work() : inCallScope(scope, work);
}

function stopError(reason: StopReason): PlatformError {
  return new PlatformError(reason, "The server was shut down before the run ended.");
}
