/** What commands are for. */
export type RedisOperation =
  | "publish"
  | "announce"
  | "subscribe"
  | "read-stream"
  | "notify"
  | "record-trace"
  | "read-trace"
  | "claim-key"
  | "complete-key"
  | "take-place"
  | "keep-places"
  | "leave-place";

/**
 * Why a command failed: `away` was refused without being tried, as Redis is known to be away; `connection` had none or lost it; `timeout`
 * got no answer; `refused` was answered with an error; `backlog` found too much on its way already.
 */
export type RedisErrorReason = "away" | "connection" | "timeout" | "refused" | "backlog";

/** Told of each command. Neither call may throw. */
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
