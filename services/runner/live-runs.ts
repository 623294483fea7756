import { PlatformError } from "#kit/errors/platform-error.ts";
import { RunNotFoundError } from "#kit/errors/session-errors.ts";
import { inTenant } from "#kit/names/tenant.ts";
import { sleep } from "#kit/platform/sleep.ts";
import { isTerminal, type RunRecord } from "#kit/sessions/run-record.ts";
import { isSameSession } from "#kit/sessions/session.ts";
import type { LiveProgress, RunLiveRequest } from "#ports/runs/live-runner-service.ts";
import type { StartRunRequest } from "#ports/runs/runner-service.ts";
import type { RunCancels } from "./execution/run-cancels.ts";
import type { RunnerServiceDeps } from "./execution/runner-service-deps.ts";
import { inScopeOf, type LocalRun } from "./execution/runs-in-process.ts";
import type { LiveClient } from "./live/live-client.ts";
import { clientLeft } from "./live/live-clients.ts";
import type { RunRecovery } from "./recovery/run-recovery.ts";

type LiveParts = Pick<
  RunnerServiceDeps,
  "runJournal" | "runNotifications" | "runs" | "liveClients" | "logger" | "config"
> & {
  readonly recovery: RunRecovery;
  readonly cancels: RunCancels;
  readonly startRun: (request: StartRunRequest) => Promise<RunRecord>;
};

/** Pause before a lost run is asked for again. */
const RESUME_POLL_MS = 100;
/** How many leases a call waits for its run to become available: the lost runner's lease ends within one. */
const LEASES_TO_RESUME = 4;

/** The calls of the clients of live runs: each starts its run or continues it, and brings the client's messages. */
export class LiveRuns {
  readonly #parts: LiveParts;

  constructor(parts: LiveParts) {
    this.#parts = parts;
  }

  /** See `LiveRunnerService.runLive`. */
  async *run({ inputs, signal, resumes = false, ...start }: RunLiveRequest): AsyncGenerator<LiveProgress> {
    if (start.request.live === undefined)
      throw new PlatformError("INVALID_FIELD", "request.live is missing: it has the settings of the live run.");
    const { liveClients } = this.#parts;
    const client = liveClients.attach(start, () => void this.#end(start, clientLeft()), resumes);
    const { call } = client;
    try {
      const run = resumes ? await this.#resume(start, signal) : await this.#parts.startRun(start);
      yield { kind: "recorded", run };
      if (!isTerminal(run.status)) yield* this.#follow(client, { start, inputs, signal });
    } finally {
      if (call === client.call) this.#leave(client, call, start);
    }
  }

  /** Hands over the active live runs, because another runner continues each at its client's next call. */
  handOver(): void {
    const { runs, liveClients } = this.#parts;
    for (const run of runs.active()) {
      if (liveClients.has(run)) run.abort.abort(new PlatformError("RUN_HANDED_OVER", "The runner is shutting down."));
    }
  }

  /** Hands over a run whose client has called another runner: its call here is lost, whether that is noticed or not. */
  handOverClaimed(runId: string, tenantId?: string): void {
    const { runs, liveClients } = this.#parts;
    const local = runs.get(runId, tenantId);
    if (local?.state.kind !== "running" || !liveClients.has(local)) return;
    local.state.abort.abort(
      new PlatformError("RUN_HANDED_OVER", "The client of the live run has called another runner."),
    );
  }

  async *#follow(
    client: LiveClient,
    { start, inputs, signal }: Pick<RunLiveRequest, "inputs" | "signal"> & { readonly start: StartedCall },
  ): AsyncGenerator<LiveProgress> {
    const { runs } = this.#parts;
    const { call } = client;
    const stop = new AbortController();
    let failure: { readonly error: unknown } | undefined;
    let hasEnded = false;
    const wake = (): void => client.notify();
    const local = runs.get(start.runId, start.session.tenantId);
    const ended = local?.ended ?? Promise.resolve();
    void ended.then(() => {
      hasEnded = true;
      client.notify();
    });
    const read = client.read(inputs, AbortSignal.any([signal, stop.signal]));
    void read.catch((error: unknown) => {
      failure = { error };
      void this.#end(start, error);
    });
    signal.addEventListener("abort", wake, { once: true });
    try {
      while (call === client.call && !signal.aborted) {
        const progress = client.progress();
        if (progress !== undefined) yield progress;
        else if (hasEnded) break;
        else await client.changed();
      }
    } finally {
      stop.abort();
      signal.removeEventListener("abort", wake);
    }
    if (!hasEnded) return;
    if (failure !== undefined) throw failure.error;
    await this.#assertEnded(start, local?.scope);
  }

  /**
   * Throws a temporary error if the run has left this process without an end, or that is not known. The journal is asked
   * in the run's name, because the caller's credentials are as old as its call.
   */
  async #assertEnded({ runId, session }: StartedCall, scope: LocalRun["scope"]): Promise<void> {
    const { runJournal, logger } = this.#parts;
    const ask = () => runJournal.get(runId, session.tenantId);
    const record = await inScopeOf({ scope }, ask).catch((error: unknown) => {
      logger.warn({ error, runId }, "the record of a live run cannot be read at its end");
      throw handedOver();
    });
    if (record !== undefined && !isTerminal(record.status)) throw handedOver();
  }

  /** Executes the run again as soon as it is available. Returns its record when it is executed here, or has ended. */
  async #resume({ runId, session }: StartedCall, signal: AbortSignal): Promise<RunRecord> {
    const { runJournal, runNotifications, runs, recovery, config } = this.#parts;
    const polls = Math.ceil((LEASES_TO_RESUME * config.LEASE_MS) / RESUME_POLL_MS);
    for (let poll = 0; poll < polls; poll += 1) {
      if (runs.isDraining) throw new PlatformError("SERVER_SHUTTING_DOWN", "The runner is shutting down. Try again.");
      const record = await runJournal.get(runId, session.tenantId);
      if (record === undefined || !isSameSession(record.session, session)) throw new RunNotFoundError(runId);
      if (isTerminal(record.status) || runs.has(runId, session.tenantId)) return record;
      const mayMove = poll * RESUME_POLL_MS >= config.AGENT_REVISION_WAIT_MS;
      if ((await recovery.recover(record, { mayMove })) === "recovered") continue;
      if (record.status === "running")
        runNotifications?.notify({ kind: "claimed", runId, ...inTenant(session.tenantId) });
      await sleep(RESUME_POLL_MS, signal);
    }
    throw new PlatformError("SERVICE_UNAVAILABLE", "The live run has not become available: try again.");
  }

  /** The call is over: the client is waited for while the run is here. */
  #leave(client: LiveClient, call: number, { runId, session }: StartedCall): void {
    if (this.#parts.runs.has(runId, session.tenantId)) client.detach(call);
    else client.end();
  }

  /** Ends the run: its client did not come again, or has sent what no client may send. Never throws. */
  async #end({ runId, session }: StartedCall, reason: unknown): Promise<void> {
    const { liveClients, logger, runs, cancels } = this.#parts;
    try {
      const local = runs.get(runId, session.tenantId);
      if (local?.state.kind === "running") {
        local.state.abort.abort(reason);
        await local.ended;
      } else if (local !== undefined) await cancels.cancel(runId, session.tenantId);
    } catch (error) {
      // When it is the run's turn, it is aborted for want of a client.
      logger.warn({ error, runId }, "a queued live run cannot be ended");
    }
    liveClients.forget({ runId, session });
  }
}

type StartedCall = Omit<RunLiveRequest, "inputs" | "signal" | "resumes">;

function handedOver(): PlatformError {
  return new PlatformError("SERVICE_UNAVAILABLE", "The live run goes to another runner: call again to resume it.");
}
