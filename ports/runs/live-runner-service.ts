import type { LiveRequest } from "#kit/core/context/live-request.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { RunStreamEntry } from "./run-stream.ts";
import type { StartRunRequest } from "./runner-service.ts";

/** One message of the client of a live run. */
export interface LiveInput {
  /** Counts the messages of the run from 1 without gaps, over all its runners. */
  readonly n: number;
  readonly request: LiveRequest;
}

/** A runner's report about a live run. */
export type LiveProgress =
  /** The run is recorded. First, and once a call. */
  | { readonly kind: "recorded"; readonly run: RunRecord }
  | {
      readonly kind: "worked";
      /**
       * What the run emits, in order, without the way over its stream, which has the same entries somewhat later. A
       * `resync` stands for entries that this call did not bring: the caller reads the stored events instead.
       */
      readonly entries: readonly RunStreamEntry[];
      /**
       * The messages up to this number are not needed again, not even by a runner that recovers the run; undefined if
       * that has not changed. Messages after it are sent again to the next runner.
       */
      readonly taken?: number | undefined;
    };

export interface RunLiveRequest extends StartRunRequest {
  readonly runId: string;
  /** The run was recorded before, and its runner was lost or has handed it over: execute it again, or wait for that. */
  readonly resumes?: boolean;
  /** The client's messages. Their end means that the client has left, which ends the conversation. */
  readonly inputs: AsyncIterable<LiveInput>;
  /** Stops this call, and not the run: another call may continue it. */
  readonly signal: AbortSignal;
}

/** Runs in which the client and the model talk at the same time. */
export interface LiveRunnerService {
  /**
   * Executes a live run: `request.live` holds its settings, and its messages are read one by one, as the model takes
   * them. Yields until the run has ended; the last emitted entry is the end, unless the run had ended before this call. Throws what `RunnerService.startRun` throws, `LIVE_NOT_SUPPORTED` if the
   * app's model has no live connection, and a temporary error (`isUnavailable`) if the runner is lost or hands the run
   * over: the caller then calls again with `resumes` and the messages that were not taken.
   */
  runLive(request: RunLiveRequest): AsyncIterable<LiveProgress>;
}
