import type { Content, UsageMetadata } from "../events/content.ts";
import type { JsonObject, JsonValue } from "../platform/json.ts";
import type { SessionKey } from "./session.ts";

export const RUN_STATUSES = [
  "pending",
  "running",
  "awaiting_input",
  "succeeded",
  "failed",
  "cancelled",
  "interrupted",
  "timed_out",
] as const;
/** The state of a run. */
export type RunStatus = (typeof RUN_STATUSES)[number];

/** A status that never changes again. `awaiting_input` is one: the answer is a new run of the same invocation. */
export type TerminalRunStatus = Exclude<RunStatus, "pending" | "running">;

export function isTerminal(status: RunStatus): status is TerminalRunStatus {
  return status !== "pending" && status !== "running";
}

/** What happens to a second message while a run holds the session. */
export const CONCURRENCY_POLICIES = ["enqueue", "reject", "interrupt", "rollback"] as const;
export type ConcurrencyPolicy = (typeof CONCURRENCY_POLICIES)[number];

/** The request as received: the record alone is enough to execute it again. */
export interface RunRequest {
  readonly newMessage?: Content;
  readonly stateDelta?: JsonObject;
  readonly streaming?: boolean;
  /** Given by a caller that resumes an earlier invocation. */
  readonly invocationId?: string;
  readonly functionCallEventId?: string;
  readonly customMetadata?: JsonValue;
  /** The id of the API key with which the request came: what the run uses counts against the key's quotas. */
  readonly keyId?: string;
  /** W3C Trace Context of the request, for the runner that recovers the run. */
  readonly traceParent?: string;
  /** Create the session under its id when it does not exist. */
  readonly autoCreateSession?: boolean;
  /** The message refuses what its invocation waits for: the run stores it and ends as `cancelled`, without its agent. */
  readonly endsInvocation?: boolean;
  /** With `endsInvocation`: nobody has answered in time, and the run ends as `failed` with `INPUT_EXPIRED`. */
  readonly isExpired?: boolean;
  /**
   * The settings of a live run, members of `RunConfig`. Its messages come from its client while it runs, and are not in
   * the record.
   */
  readonly live?: JsonObject;
}

/** `reason` is a reason of this platform, or the error code of an event. */
export interface RunError {
  readonly code: string;
  readonly reason: string;
  readonly message: string;
}

/** The durable record of one run. */
export interface RunRecord {
  readonly runId: string;
  readonly session: SessionKey;
  readonly invocationId: string;
  readonly request: RunRequest;
  readonly status: RunStatus;
  readonly policy: ConcurrencyPolicy;
  /** How many holders have executed the run; 1 for one that never moved. */
  readonly attempts: number;
  /** How many of them handed it over, for example when their process was shut down. Absent for none. */
  readonly handovers?: number;
  /**
   * The agent revision that executes the run, from its begin to its end; see `LoadedApp.agentRevision`. Of a run that
   * has not begun: the one that it waits for. Absent if its runner knows none.
   */
  readonly agentRevision?: string;
  readonly epoch: number;
  /** Absent while pending and after the end. */
  readonly holder?: string;
  /** Wall-clock milliseconds, as are all times here. */
  readonly createdTime: number;
  readonly startedTime?: number;
  readonly finishedTime?: number;
  /** The run ends as `timed_out` after this instant. */
  readonly deadline?: number;
  readonly cancelRequested: boolean;
  readonly idempotencyKey?: string;
  /**
   * The key under which the run's stream is stored. Whoever knows it can read the stream, so no answer to a client
   * contains it. Absent: the run's id.
   */
  readonly streamKey?: string;
  readonly usage?: UsageMetadata;
  /** Why the run failed. Of a run that ended regularly: the newest error that an event of its agents reports. */
  readonly error?: RunError;
  /**
   * The run that answered this one, which ended as `awaiting_input`. Set when the answer is stored in the session.
   * Absent while the run still waits, and for runs of any other status.
   */
  readonly answeredBy?: string;
  /** Sequence of the session's newest event when the run began: the run's own events come after it. */
  readonly baseRevision: number;
}

/** The right to write to one session while one run executes. */
export interface Lease {
  readonly runId: string;
  readonly session: SessionKey;
  readonly holder: string;
  /** Grows at each change of holder. Writes with an old epoch are refused. */
  readonly epoch: number;
  /** By the store's clock, in milliseconds. */
  readonly expiresAt: number;
}
