import { PlatformError } from "#kit/errors/platform-error.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { RunnerConfig } from "./config.ts";

export type RunLimits = Pick<
  RunnerConfig,
  "MAX_CONCURRENT_RUNS" | "MAX_CONCURRENT_RUNS_PER_APP" | "MAX_CONCURRENT_RUNS_PER_USER"
>;

/** Whose run wants a slot. */
export type Owner = Pick<SessionKey, "appName" | "userId">;

/** Gives a slot back; called once. */
export type LeaveSlot = () => void;

/** A run ends within seconds, as a rule. */
const RETRY_AFTER_SECONDS = "2";

const PLENTY: Readonly<Record<keyof RunLimits, string>> = {
  MAX_CONCURRENT_RUNS: "This server executes as many runs as it may.",
  MAX_CONCURRENT_RUNS_PER_APP: "As many runs of this app are under way as are allowed.",
  MAX_CONCURRENT_RUNS_PER_USER: "As many runs of this user are under way as are allowed.",
};

/** The refusal of a run that may not start. */
export function busy(limit: keyof RunLimits): PlatformError {
  return new PlatformError("RUNNER_BUSY", `${PLENTY[limit]} Try again soon.`, {
    details: { limit, retryAfterSeconds: RETRY_AFTER_SECONDS },
  });
}
