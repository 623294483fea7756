import { PlatformError } from "#kit/errors/platform-error.ts";
import type { RunnerConfig } from "../config.ts";

export type RunLimits = Pick<
  RunnerConfig,
  "MAX_CONCURRENT_RUNS" | "MAX_CONCURRENT_RUNS_PER_APP" | "MAX_CONCURRENT_RUNS_PER_USER" | "MAX_PROCESS_RUNS_PER_USER"
>;

/** Every limit by which a new run may be refused. */
export type RunLimit = keyof RunLimits | "MAX_QUEUED_RUNS_PER_USER";

/** Gives a slot back; called once. */
export type LeaveSlot = () => void;

/** A run ends within seconds, as a rule. */
const RETRY_AFTER_SECONDS = "2";

const PLENTY: Readonly<Record<RunLimit, string>> = {
  MAX_CONCURRENT_RUNS: "This server executes as many runs as it may.",
  MAX_CONCURRENT_RUNS_PER_APP: "As many runs of this app are under way as are allowed.",
  MAX_CONCURRENT_RUNS_PER_USER: "As many runs of this user are under way as are allowed.",
  MAX_PROCESS_RUNS_PER_USER: "This server executes as many runs of this user as it may.",
  MAX_QUEUED_RUNS_PER_USER: "As many runs of this user are queued as are allowed.",
};

/** The refusal of a run that may not start. */
export function busy(limit: RunLimit): PlatformError {
  return new PlatformError("RUNNER_BUSY", `${PLENTY[limit]} Try again soon.`, {
    details: { limit, retryAfterSeconds: RETRY_AFTER_SECONDS },
  });
}
