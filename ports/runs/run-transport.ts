import type { EndedSessions } from "#ports/api-keys/ended-sessions.ts";
import type { IdempotencyStore } from "#ports/idempotency/idempotency-store.ts";
import type { QuotaLedger } from "#ports/quota/quota-ledger.ts";
import type { RunNotifications } from "./run-notifications.ts";
import type { RunQuota } from "./run-quota.ts";
import type { RunStream } from "./run-stream.ts";
import type { TraceStore } from "./trace-store.ts";

/** The connections between the processes that execute runs and those that stream them to clients. */
export interface RunTransport {
  readonly runStream: RunStream;
  readonly traceStore: TraceStore;
  /** Used by processes that answer clients. */
  readonly idempotencyStore: IdempotencyStore;
  /**
   * Sign-in sessions of browsers that any process has ended. Absent: each process only records those that it has ended
   * itself.
   */
  readonly endedSessions?: EndedSessions | undefined;
  /** Absent where one process executes all runs. */
  readonly runNotifications?: RunNotifications | undefined;
  /** Absent where one process executes all runs. */
  readonly runQuota?: RunQuota | undefined;
  /** Counts what quotas limit, over all processes. Absent: each process counts for itself. */
  readonly quotaLedger?: QuotaLedger | undefined;
}
