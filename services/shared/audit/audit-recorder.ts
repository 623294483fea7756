import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { Version } from "#kit/version.ts";
import { type ChainHead, type SealedRecord, sealRecord } from "#ports/audit/audit-chain.ts";
import type { AuditDecision, AuditEvent } from "#ports/audit/audit-event.ts";
import type { AuditLog } from "#ports/audit/audit-log.ts";
import type { AuditObserver } from "./audit-metrics.ts";
import { RefusalCounter } from "./refusal-counter.ts";

/** Takes the gateway's decisions on requests. */
export interface Auditor {
  /** Queues a record. Never fails and never waits. */
  note(decision: AuditDecision): void;
  /** Resolves when the record is durable. Throws `AUDIT_UNAVAILABLE`: then the action must not happen. */
  require(decision: AuditDecision): Promise<void>;
}

export interface AuditRecorderOptions {
  /** Closed with the recorder. */
  readonly log: AuditLog;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly observer: AuditObserver;
}

interface Waiting {
  readonly event: AuditEvent;
  readonly settle?: (error?: unknown) => void;
}

/** Most decisions that wait for the log, about 5 MB. Further ones are lost, and counted. */
const MAX_QUEUED = 10_000;
const MAX_BATCH = 500;
/** How long decisions are collected if no action waits for them, because a write costs as much as twenty records. */
const GATHER_MS = 50;
const RETRY_MS = 1000;
const SWEEP_MS = 5000;
/** A log that does not answer within this time counts as unavailable. */
const REQUIRED_MS = 5000;

/**
 * The one writer of a chain. Records are sealed and written in batches, outside of requests: immediately if an action
 * waits for one, else when some have gathered. A batch that fails is written again, unchanged, each second.
 */
export class AuditRecorder implements Auditor, AsyncDisposable {
  readonly #options: AuditRecorderOptions;
  readonly #refusals = new RefusalCounter();
  readonly #sweep: NodeJS.Timeout;
  #head: ChainHead;
  #queue: Waiting[] = [];
  /** A batch that could not be written. */
  #failed: readonly SealedRecord[] = [];
  #lost: { readonly timeMs: number; count: number } | undefined;
  #writing: Promise<void> | undefined;
  #gathering: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;

  constructor(options: AuditRecorderOptions) {
    this.#options = options;
    const { log, clock } = options;
    this.#head = log.head;
    for (const event of log.found) this.#add({ event });
    this.#add({ event: { kind: "start", timeMs: clock.now(), version: Version.FAIRLEAD_VERSION } });
    this.#sweep = setInterval(() => this.#noteEnded(), SWEEP_MS);
    this.#sweep.unref();
  }

  note(decision: AuditDecision): void {
    if (decision.decision === "allowed") return this.#add({ event: decision });
    const event = this.#refusals.admit(decision, this.#options.clock.monotonic());
    if (event !== undefined) this.#add({ event });
  }

  async require(event: AuditDecision): Promise<void> {
    if (this.#failed.length > 0 || this.#queue.length >= MAX_QUEUED) throw unavailable();
    const written = Promise.withResolvers<void>();
    const timer = setTimeout(() => written.reject(unavailable()), REQUIRED_MS);
    const settle = (error?: unknown): void => (error === undefined ? written.resolve() : written.reject(error));
    this.#add({ event, settle });
    try {
      await written.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Writes what is queued, if the log can be written, and closes it. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#sweep);
    for (const event of this.#refusals.ended()) this.#add({ event });
    await this.#writing;
    clearTimeout(this.#retry);
    do {
      this.#start();
      await this.#writing;
    } while (this.#queue.length > 0 && this.#failed.length === 0);
    clearTimeout(this.#gathering);
    clearTimeout(this.#retry);
    if (this.#failed.length > 0 || this.#lost !== undefined) {
      const count = this.#failed.length + this.#queue.length + (this.#lost?.count ?? 0);
      this.#options.logger.error({ count }, "audit records are lost: the audit log cannot be written");
    }
    await this.#options.log[Symbol.asyncDispose]();
  }

  #noteEnded(): void {
    for (const event of this.#refusals.ended(this.#options.clock.monotonic())) this.#add({ event });
  }

  #add(waiting: Waiting): void {
    if (this.#queue.length >= MAX_QUEUED) return this.#lose(waiting.event);
    this.#queue.push(waiting);
    // The write in progress, or the repetition of a failed one, also takes this decision.
    if (this.#writing !== undefined || this.#retry !== undefined) return;
    if (waiting.settle === undefined) this.#gather();
    else this.#start();
  }

  #gather(): void {
    this.#gathering ??= setTimeout(() => this.#start(), GATHER_MS).unref();
  }

  #start(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    this.#writing = this.#write();
  }

  #lose({ timeMs }: AuditEvent): void {
    this.#lost ??= { timeMs, count: 0 };
    this.#lost.count += 1;
    this.#options.observer.lost();
  }

  /** Writes batches until nothing urgent is queued or a write fails. Never throws. */
  async #write(): Promise<void> {
    // Decisions of the same turn are one batch.
    await Promise.resolve();
    if (await this.#append(this.#failed)) {
      this.#failed = [];
      do await this.#writeBatch();
      while (this.#failed.length === 0 && this.#isUrgent());
    }
    // Reset in the same step as the last check of the queue, so that what is added later starts the next write.
    this.#writing = undefined;
    if (this.#failed.length === 0 && this.#queue.length > 0) this.#gather();
  }

  #isUrgent(): boolean {
    return this.#queue.length >= MAX_BATCH || this.#queue.some(({ settle }) => settle !== undefined);
  }

  async #writeBatch(): Promise<void> {
    const batch = this.#queue.splice(0, MAX_BATCH);
    if (this.#lost !== undefined) {
      batch.unshift({ event: { kind: "lost", ...this.#lost } });
      this.#lost = undefined;
    }
    const records = batch.map(({ event }) => this.#seal(event));
    const isWritten = await this.#append(records);
    for (const { settle } of batch) settle?.(isWritten ? undefined : unavailable());
    if (!isWritten) this.#failed = records;
  }

  #seal(event: AuditEvent): SealedRecord {
    const record = sealRecord(this.#head, event);
    this.#head = record;
    return record;
  }

  /** Appends the records. Returns false if that failed; it is then repeated later. */
  async #append(records: readonly SealedRecord[]): Promise<boolean> {
    if (records.length === 0) return true;
    const { log, logger, observer, clock } = this.#options;
    const startedAt = clock.monotonic();
    try {
      await log.append(records);
    } catch (error) {
      // Reported once for each outage.
      if (this.#failed.length === 0) logger.error({ error }, "the audit log cannot be written");
      observer.failed();
      this.#retry = setTimeout(() => this.#repeat(), RETRY_MS);
      this.#retry.unref();
      return false;
    }
    if (this.#failed.length > 0) logger.info({}, "the audit log can be written again");
    observer.written(records.length, clock.monotonic() - startedAt);
    return true;
  }

  #repeat(): void {
    this.#retry = undefined;
    this.#start();
  }
}

function unavailable(): PlatformError {
  return new PlatformError(
    "AUDIT_UNAVAILABLE",
    "This action needs an audit record, which cannot be written now. Nothing was done. Try again.",
    { details: { retryAfterSeconds: "1" } },
  );
}
