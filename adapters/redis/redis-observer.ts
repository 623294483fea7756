/** The purposes of commands. */
export type RedisOperation =
  | "publish"
  | "announce"
  | "recheck"
  | "subscribe"
  | "read-stream"
  | "notify"
  | "record-trace"
  | "read-trace"
  | "claim-key"
  | "complete-key"
  | "end-session"
  | "check-session"
  | "take-place"
  | "keep-places"
  | "leave-place"
  | "count-places"
  | "take-quota"
  | "keep-quota"
  | "settle-quota"
  | "read-quota";

/**
 * Why a command failed. `unavailable`: refused without an attempt, because Redis is known to be unavailable; `connection`:
 * none, or it was lost; `timeout`: no answer; `refused`: answered with an error; `backlog`: too much data is being sent
 * already.
 */
export type RedisErrorReason = "unavailable" | "connection" | "timeout" | "refused" | "backlog";

/** Called for each command. Neither method may throw. */
export interface RedisObserver {
  called(): void;
  failed(operation: RedisOperation, reason: RedisErrorReason): void;
}

export const noRedisObserver: RedisObserver = { called: () => {}, failed: () => {} };

export function reasonOf(error: unknown): RedisErrorReason {
  if (!(error instanceof Error)) return "connection";
  if (error.name === "ReplyError") return "refused";
  return /timed out|not ready/.test(error.message) ? "timeout" : "connection";
}
