import { PlatformError } from "#kit/errors/platform-error.ts";
import type { CountedUser } from "#shared/metrics/named-counts.ts";
import type { RunnerConfig } from "../config.ts";

export type RunLimits = Pick<
  RunnerConfig,
  "MAX_CONCURRENT_RUNS" | "MAX_CONCURRENT_RUNS_PER_APP" | "MAX_CONCURRENT_RUNS_PER_USER" | "MAX_PROCESS_RUNS_PER_USER"
>;

/** Every limit by which a new run may be refused. */
export type RunLimit = keyof RunLimits | "MAX_QUEUED_RUNS_PER_USER";

/** For whom a slot is taken. */
export interface SlotOwner extends CountedUser {
  /** The API key with which the run was started. */
  readonly keyId?: string | undefined;
}

/** Releases a slot; called once. */
export type LeaveSlot = () => void;

/** Most runs end within seconds. */
const RETRY_AFTER_SECONDS = "2";

const LIMIT_MESSAGES: Readonly<Record<RunLimit, string>> = {
  MAX_CONCURRENT_RUNS: "This server executes the largest number of runs that it may.",
  MAX_CONCURRENT_RUNS_PER_APP: "The largest allowed number of runs of this app is active.",
  MAX_CONCURRENT_RUNS_PER_USER: "The largest allowed number of runs of this user is active.",
  MAX_PROCESS_RUNS_PER_USER: "This server executes the largest number of runs of this user that it may.",
  MAX_QUEUED_RUNS_PER_USER: "The largest allowed number of runs of this user is queued.",
};

/** The refusal of a run that may not start. */
export function busy(limit: RunLimit): PlatformError {
  return new PlatformError("RUNNER_BUSY", `${LIMIT_MESSAGES[limit]} Try again soon.`, {
    details: { limit, retryAfterSeconds: RETRY_AFTER_SECONDS },
  });
}
