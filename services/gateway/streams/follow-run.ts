import { isUnavailable } from "#kit/errors/platform-error.ts";
import { isTerminal, type RunRecord } from "#kit/sessions/run-record.ts";
import type { EndEntry, RunCursor, RunStreamEntry } from "#ports/runs/run-stream.ts";
import { streamName } from "#ports/runs/stream-name.ts";
import type { GatewayDeps } from "../deps.ts";

/** How a run ended. */
export type RunEnd = Pick<EndEntry, "status" | "error"> & Partial<Pick<EndEntry, "epoch" | "time">>;

/** The end in the record of a run; undefined while it has none. */
export function endOf({ status, error }: RunRecord): RunEnd | undefined {
  return isTerminal(status) ? { status, error } : undefined;
}

export interface FollowOptions {
  readonly run: Pick<RunRecord, "runId" | "session" | "streamKey"> & Partial<Pick<RunRecord, "status">>;
  readonly after: RunCursor | undefined;
  /** Aborted by the caller to stop reading, and by `followRun` when only the record has the run's end. */
  readonly controller: AbortController;
  /**
   * Takes one batch of entries, without a promise if there is nothing to wait for; returns the run's end if present.
   */
  readonly relay: (batch: readonly RunStreamEntry[]) => Promise<RunEnd | undefined> | undefined;
}

/** Why the reading of a run's stream ended. */
export type FollowOutcome =
  /** The stream had the run's end. */
  | { readonly kind: "end"; readonly end: RunEnd }
  /** The record has an end, and the stream stayed silent. */
  | { readonly kind: "ended"; readonly record: RunRecord }
  /** The record was deleted with its session. */
  | { readonly kind: "deleted" }
  /** The stream, or a store that was needed to relay it, is unavailable. */
  | { readonly kind: "unavailable" }
  /** The caller aborted the controller. */
  | { readonly kind: "aborted" };

type FollowState =
  /** A new object for each wait, so that a check notices a batch that arrived during its call. */
  { readonly kind: "waiting" } | { readonly kind: "relaying" } | Extract<FollowOutcome, { kind: "ended" | "deleted" }>;

/** An end marker is published after the record is final; one that has not arrived after this silence is lost. */
const SILENCE_CHECK_MS = 5_000;

/** The stream of an ended run is kept only for a while: a shorter silence shows that it is no longer there. */
const ENDED_RUN_CHECK_MS = 250;

type FollowDeps = Pick<GatewayDeps, "runStream" | "runJournal" | "logger">;

/**
 * Reads a run's stream to its end. The reading owns the subscription and a timer: when the stream is silent, the run's
 * record is checked, and the reading ends if the record has an end or was deleted. Time in which `relay` works does not
 * count as silence. Only failures of `relay` that are not an outage are thrown.
 */
export async function followRun(deps: FollowDeps, options: FollowOptions): Promise<FollowOutcome> {
  return new RunFollower(deps, options).follow();
}

class RunFollower {
  readonly #deps: FollowDeps;
  readonly #options: FollowOptions;
  #state: FollowState = { kind: "waiting" };

  constructor(deps: FollowDeps, options: FollowOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  async follow(): Promise<FollowOutcome> {
    const { runStream, logger } = this.#deps;
    const { run, after, controller, relay } = this.#options;
    const check = (): void => void this.#checkRecord();
    const silence = setInterval(check, SILENCE_CHECK_MS).unref();
    const hasEnded = run.status !== undefined && isTerminal(run.status);
    const first = hasEnded ? setTimeout(check, ENDED_RUN_CHECK_MS).unref() : undefined;
    try {
      const batches = runStream.subscribe(run.runId, {
        ...streamName(run),
        signal: controller.signal,
        after,
      });
      for await (const batch of batches) {
        clearTimeout(first);
        this.#state = { kind: "relaying" };
        const relayed = relay(batch);
        const end = relayed === undefined ? undefined : await relayed;
        if (end !== undefined) return { kind: "end", end };
        this.#state = { kind: "waiting" };
        silence.refresh();
      }
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      logger.warn({ error, runId: run.runId }, "no stream of the run; its events are read from the store");
      return { kind: "unavailable" };
    } finally {
      clearInterval(silence);
      clearTimeout(first);
    }
    return this.#outcome();
  }

  #outcome(): FollowOutcome {
    const state = this.#state;
    return state.kind === "ended" || state.kind === "deleted" ? state : { kind: "aborted" };
  }

  async #checkRecord(): Promise<void> {
    const before = this.#state;
    if (before.kind !== "waiting") return;
    const { runJournal, logger } = this.#deps;
    const { run, controller } = this.#options;
    try {
      const record = await runJournal.get(run.runId);
      if (this.#state !== before || controller.signal.aborted) return;
      if (record !== undefined && !isTerminal(record.status)) return;
      this.#state = record === undefined ? { kind: "deleted" } : { kind: "ended", record };
      controller.abort();
    } catch (error) {
      // The stream may still deliver; the next check reads the record again.
      logger.warn({ runId: run.runId, error }, "cannot read the record of a silent run");
    }
  }
}
