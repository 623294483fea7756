import type { ChainHead, SealedRecord } from "./audit-chain.ts";
import type { AuditEvent } from "./audit-event.ts";

/** Where the records of one chain are kept. A log has one writer. */
export interface AuditLog extends AsyncDisposable {
  /** The last record that is stored when the log is opened. */
  readonly head: ChainHead;
  /** Findings from the opening of the log, such as an incomplete record. The caller records them first. */
  readonly found: readonly AuditEvent[];
  /**
   * Stores the next records in their order. Resolves when they survive the process and, where there is a disk, a power
   * loss. After a failure the caller repeats the call with the same records before it passes others: a log may have
   * stored some of them, and stores none of them twice.
   */
  append(records: readonly SealedRecord[]): Promise<void>;
}
