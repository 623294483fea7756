import type { IdempotencyStore } from "#kit/idempotency/idempotency-store.ts";
import type { EndedSessions } from "#kit/identity/ended-sessions.ts";
import type { QuotaLedger } from "#kit/quota/quota-ledger.ts";
import type { TraceStore } from "#kit/telemetry/trace-store.ts";
import type { RunNotifications } from "./run-notifications.ts";
import type { RunQuota } from "./run-quota.ts";
import type { RunStream } from "./run-stream.ts";

/** What connects the processes that execute runs with those that publish them to clients. */
export interface RunTransport {
  readonly runStream: RunStream;
  readonly traceStore: TraceStore;
  /** Of processes that answer clients. */
  readonly idempotencyStore: IdempotencyStore;
  /** Sessions of pages that were ended in any process. Absent: each process knows its own. */
  readonly endedSessions?: EndedSessions | undefined;
  /** Absent where one process executes all runs. */
  readonly runNotifications?: RunNotifications | undefined;
  /** Absent there too. */
  readonly runQuota?: RunQuota | undefined;
  /** Counts what quotas limit, over all processes. Absent: each process counts for itself. */
  readonly quotaLedger?: QuotaLedger | undefined;
}
