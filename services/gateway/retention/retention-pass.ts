import { PlatformError } from "#kit/errors/platform-error.ts";
import { inTenant, tenantOf } from "#kit/names/tenant.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { sleep } from "#kit/platform/sleep.ts";
import { MAX_OLD_PAGE } from "#ports/tenants/old-data.ts";
import type { GatewayDeps } from "../deps.ts";
import { inTenantOf } from "../tenants/tenant-desk.ts";
import {
  type RecordedDeletion,
  type RetainedData,
  type RetainedItem,
  type RetainedStores,
  retainedData,
} from "./retained-data.ts";
import { RETAINED_KINDS, type RetainedKind, type RetentionRules, shortestTime, timeToLive } from "./retention-rules.ts";

export type RetentionDeps = RetainedStores &
  Pick<GatewayDeps, "auditor"> & {
    readonly clock: Clock;
    readonly logger: Logger;
    readonly countRetention?: GatewayDeps["countRetention"];
  };

/** The result of a pass: how much it has deleted, or would delete. */
export interface RetentionReport {
  readonly deleted: readonly RetentionCount[];
  /** Items that could not be deleted now, and kinds whose store cannot find what is old. The next pass tries again. */
  readonly failed: number;
}

export interface RetentionCount {
  readonly kind: RetainedKind;
  readonly tenantId: string;
  readonly appName: string;
  readonly count: number;
}

export interface PassOptions {
  readonly rules: RetentionRules;
  /** Names the pass in audit records. */
  readonly passId: string;
  readonly signal: AbortSignal;
  /** Deletes nothing, and reports what it would delete: also sessions whose run protects them. */
  readonly isDryRun?: boolean;
  /** Called for each item that is, or would be, deleted. */
  readonly onItem?: (kind: RetainedKind, item: RetainedItem) => void;
}

/** The subject of audit records of what no caller has asked for. */
export const RETENTION_SUBJECT = "server:retention";
/** Deletions at the same time, and the pause after each page, so that requests of users come first. */
const AT_ONCE = 4;
const PAUSE_MS = 50;
/** A pass ends after so many failures in a row: the store is unavailable. */
const MAX_FAILURES = 20;

/**
 * Looks once at everything that has a time to live, and deletes what is older. Interrupted at any point, the next pass
 * continues.
 */
export class RetentionPass {
  readonly #deps: RetentionDeps;
  readonly #options: PassOptions;
  readonly #counts = new Map<string, RetentionCount>();
  #failed = 0;
  #failedInARow = 0;

  constructor(deps: RetentionDeps, options: PassOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  /**
   * Throws the first error of a store that cannot be listed, or fails again and again, after the other kinds had their
   * turn.
   */
  async run(): Promise<RetentionReport> {
    const faults: unknown[] = [];
    const data = retainedData(this.#deps);
    for (const kind of RETAINED_KINDS) {
      try {
        await this.#kind(kind, data[kind]);
      } catch (error) {
        this.#options.signal.throwIfAborted();
        if (error instanceof PlatformError && error.reason === "NOT_IMPLEMENTED") this.#fail(kind, error, 1);
        else faults.push(error);
      }
      this.#failedInARow = 0;
    }
    if (faults.length > 0) throw faults[0];
    const deleted = [...this.#counts.values()].sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
    return { deleted, failed: this.#failed };
  }

  async #kind(kind: RetainedKind, data: RetainedData): Promise<void> {
    const { rules, signal } = this.#options;
    const shortest = shortestTime(rules, kind);
    if (!Number.isFinite(shortest)) return;
    const now = this.#deps.clock.now();
    const before = now - shortest;
    if (before <= 0) return;
    const limitOf = (item: RetainedItem): number => now - timeToLive(rules, kind, item);
    for (let pageToken: string | undefined, isFirst = true; isFirst || pageToken !== undefined; isFirst = false) {
      signal.throwIfAborted();
      const page = await data.list({ before, pageSize: MAX_OLD_PAGE, ...(pageToken !== undefined && { pageToken }) });
      const old = page.items.filter((item) => item.timeMs < limitOf(item));
      const rest = data.parts(old).values();
      await this.#workers(async () => {
        for (const part of rest) {
          signal.throwIfAborted();
          // The parts are of one owner each, and none is empty.
          const [first] = part;
          if (first !== undefined) await this.#delete(kind, { data, part, first, before: limitOf(first) });
        }
      });
      pageToken = page.nextPageToken;
      if (pageToken !== undefined && old.length > 0) await sleep(PAUSE_MS, signal);
    }
  }

  async #workers(work: () => Promise<void>): Promise<void> {
    const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, work));
    // None is left that still deletes.
    for (const each of ended) if (each.status === "rejected") throw each.reason;
  }

  async #delete(kind: RetainedKind, { data, part, first, before }: Deletion): Promise<void> {
    const { isDryRun = false, onItem } = this.#options;
    let count = part.length;
    try {
      if (!isDryRun) count = await this.#deleteNow(data, part, first, before);
      this.#failedInARow = 0;
    } catch (error) {
      this.#failedInARow += 1;
      this.#fail(kind, error, part.length, first);
      if (this.#failedInARow >= MAX_FAILURES) throw error;
      return;
    }
    if (count === 0) return;
    for (const item of part) onItem?.(kind, item);
    this.#count(kind, first, count);
  }

  #fail(kind: RetainedKind, error: unknown, count: number, first?: RetainedItem): void {
    this.#failed += count;
    this.#deps.logger.warn({ error, kind, count, first }, "what is too old could not be deleted");
  }

  #deleteNow(data: RetainedData, part: readonly RetainedItem[], first: RetainedItem, before: number): Promise<number> {
    const record = (deletion: RecordedDeletion) => this.#record(first, deletion);
    return inTenantOf({ tenantId: tenantOf(first) }, () => data.delete(part, before, record));
  }

  /** A deletion without a record does not happen. */
  async #record({ tenantId }: RetainedItem, deletion: RecordedDeletion): Promise<void> {
    const { auditor, clock } = this.#deps;
    await auditor?.require({
      kind: "decision",
      timeMs: clock.now(),
      ...inTenant(tenantId),
      subject: RETENTION_SUBJECT,
      ...deletion,
      decision: "allowed",
      requestId: this.#options.passId,
    });
  }

  #count(kind: RetainedKind, item: RetainedItem, more: number): void {
    const { appName } = item;
    const tenantId = tenantOf(item);
    const name = nameOf({ kind, tenantId, appName });
    const count = (this.#counts.get(name)?.count ?? 0) + more;
    this.#counts.set(name, { kind, tenantId, appName, count });
    if (this.#options.isDryRun !== true) this.#deps.countRetention?.(kind, more);
  }
}

interface Deletion {
  readonly data: RetainedData;
  readonly part: readonly RetainedItem[];
  readonly first: RetainedItem;
  readonly before: number;
}

function nameOf({ kind, tenantId, appName }: Omit<RetentionCount, "count">): string {
  return [kind, tenantId, appName].join("\n");
}
