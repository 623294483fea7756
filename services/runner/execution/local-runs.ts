import { PlatformError } from "#kit/errors/platform-error.ts";
import type { StartedRun } from "#kit/runs/base/started-run.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { NamedCounts, type Owner, ownerName } from "#shared/metrics/named-counts.ts";
import type { RunnerDeps } from "../deps.ts";
import type { RunnerLoad } from "../metrics/run-observer.ts";

/** A run that this process knows of. */
export interface LocalRun {
  readonly session: SessionKey;
  /** Resolves when this process has done with it. */
  readonly ended: Promise<void>;
  /** Another runner wants to be told of the end. */
  isAwaited: boolean;
  state: LocalRunState;
}

type LocalRunState =
  | { readonly kind: "waiting"; readonly since: number; readonly leave: AbortController }
  | { readonly kind: "running"; readonly abort: AbortController };

/** How a process that ends leaves its runs: ended, or for another one to go on with. */
type StopReason = "RUN_INTERRUPTED" | "RUN_HANDED_OVER";

/** The runs that this process has in line or under way, each from its begin until it has ended here or is left to others. */
export class LocalRuns {
  readonly #options: Pick<RunnerDeps, "runNotifications" | "clock">;
  readonly #runs = new Map<string, LocalRun>();
  readonly #queuedOfUsers = new NamedCounts();
  #isDraining = false;
  #stopReason: StopReason | undefined;

  constructor(options: Pick<RunnerDeps, "runNotifications" | "clock">) {
    this.#options = options;
  }

  /** Whether nothing more is to be taken up. */
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

  /** How many runs of the user wait here, over all sessions. */
  queuedOf(owner: Owner): number {
    return this.#queuedOfUsers.of(ownerName(owner));
  }

  has(runId: string): boolean {
    return this.#runs.has(runId);
  }

  get(runId: string): LocalRun | undefined {
    return this.#runs.get(runId);
  }

  /** Throws `SERVER_SHUTTING_DOWN` when no new run may begin. */
  assertAccepting(): void {
    if (this.#stopReason !== undefined)
      throw new PlatformError("SERVER_SHUTTING_DOWN", "The server is shutting down. Try again soon.");
  }

  /** Adds a run that is under way until the work is done. */
  start(run: StartedRun, work: () => Promise<void>): void {
    this.#abortIfStopped(run);
    const { runId, session } = run.record;
    const ended = work().finally(() => this.#forget(runId));
    this.#runs.set(runId, { session, ended, isAwaited: false, state: { kind: "running", abort: run.abort } });
  }

  /** Adds a run that is in line. The work ends without having started it when `left` is aborted. */
  wait({ runId, session }: Pick<RunRecord, "runId" | "session">, work: (left: AbortSignal) => Promise<void>): void {
    const leave = new AbortController();
    const since = this.#options.clock.monotonic();
    const ended = work(leave.signal).finally(() => this.#forget(runId));
    this.#runs.set(runId, { session, ended, isAwaited: false, state: { kind: "waiting", since, leave } });
    this.#queuedOfUsers.add(ownerName(session), 1);
    if (this.#isDraining) this.#leaveLine(runId, ended, leave);
  }

  /** The turn of a run in line has come. */
  startWaiting(run: StartedRun): void {
    this.#abortIfStopped(run);
    const local = this.#runs.get(run.record.runId);
    if (local === undefined) return;
    this.#leaveQueue(local);
    local.state = { kind: "running", abort: run.abort };
  }

  /** Another runner waits for the run's end, and is to be told of it. */
  noteAwaited(runId: string): void {
    const local = this.#runs.get(runId);
    if (local !== undefined) local.isAwaited = true;
  }

  /** Cuts off what is under way on the session. */
  interrupt({ appName, userId, id }: SessionKey): void {
    for (const { session, state } of this.#runs.values()) {
      if (session.id !== id || session.userId !== userId || session.appName !== appName) continue;
      if (state.kind === "running")
        state.abort.abort(new PlatformError("RUN_CANCELLED", "A newer message took this run's place."));
    }
  }

  /** Resolves when there are none. */
  async whenIdle(): Promise<void> {
    while (this.#runs.size > 0) await Promise.all([...this.#runs.values()].map(({ ended }) => ended));
  }

  /** Leaves the runs in line to other runners, those that come later too. What is under way goes on. */
  drain(): void {
    if (this.#isDraining) return;
    this.#isDraining = true;
    for (const [runId, { ended, state }] of this.#runs) {
      if (state.kind === "waiting") this.#leaveLine(runId, ended, state.leave);
    }
  }

  /** Ends what is under way, those that come later too, and takes nothing new. The first reason given counts. */
  async stop(reason: StopReason): Promise<void> {
    this.#stopReason ??= reason;
    this.#isDraining = true;
    const runs = [...this.#runs.values()];
    for (const { state } of runs) {
      if (state.kind === "waiting") state.leave.abort();
      else state.abort.abort(stopError(this.#stopReason));
    }
    await Promise.all(runs.map(({ ended }) => ended));
  }

  #forget(runId: string): void {
    const local = this.#runs.get(runId);
    this.#runs.delete(runId);
    if (local !== undefined) this.#leaveQueue(local);
    if (local?.isAwaited === true) this.#options.runNotifications?.notify({ kind: "ended", runId });
  }

  #leaveQueue({ session, state }: LocalRun): void {
    if (state.kind === "waiting") this.#queuedOfUsers.add(ownerName(session), -1);
  }

  #leaveLine(runId: string, ended: Promise<void>, leave: AbortController): void {
    leave.abort();
    void ended.then(() => this.#options.runNotifications?.notify({ kind: "available", runId }));
  }

  /** Called off between the journal's answer and here: the run is recorded as running, so it has to be left in good order. */
  #abortIfStopped({ abort }: StartedRun): void {
    if (this.#stopReason !== undefined) abort.abort(stopError(this.#stopReason));
  }
}

function stopError(reason: StopReason): PlatformError {
  return new PlatformError(reason, "The server was shut down before the run ended.");
}
