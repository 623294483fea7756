import { inTenant, tenantOf } from "#kit/names/tenant.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { sleep } from "#kit/platform/sleep.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { type IdleSession, idleSessionsOf, MAX_IDLE_PAGE } from "#ports/tenants/idle-sessions.ts";
import type { GatewayDeps } from "../deps.ts";
import { deleteSessionParts } from "../sessions/session-parts.ts";
import { inTenantOf } from "../tenants/tenant-desk.ts";
import { type RetainedKind, type RetentionRules, shortestTime, timeToLive } from "./retention-rules.ts";

export type RetentionDeps = Pick<GatewayDeps, "sessionService" | "artifactService" | "pushStore" | "auditor"> & {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly countRetention?: GatewayDeps["countRetention"];
};

/** The result of a pass: how much it has deleted, or would delete. */
export interface RetentionReport {
  readonly deleted: readonly RetentionCount[];
  /** Sessions that could not be deleted now. The next pass tries again. */
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
  /** Called for each session that is, or would be, deleted. */
  readonly onSession?: (session: SessionKey) => void;
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
 * continues: a session is closed first, so that nothing begins in it; then its files go, and the session itself last.
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

  /** Throws if the store of sessions cannot be listed, and `STORE_UNAVAILABLE` after many failures. */
  async run(): Promise<RetentionReport> {
    await this.#sessions();
    const deleted = [...this.#counts.values()].sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
    return { deleted, failed: this.#failed };
  }

  async #sessions(): Promise<void> {
    const { sessionService, clock } = this.#deps;
    const { rules, signal } = this.#options;
    const shortest = shortestTime(rules, "sessions");
    if (!Number.isFinite(shortest)) return;
    const now = clock.now();
    const updatedBefore = now - shortest;
    if (updatedBefore <= 0) return;
    const idle = idleSessionsOf(sessionService);
    for (let pageToken: string | undefined, isFirst = true; isFirst || pageToken !== undefined; isFirst = false) {
      signal.throwIfAborted();
      const page = await idle.listIdleSessions({ updatedBefore, pageSize: MAX_IDLE_PAGE, pageToken });
      const old = page.sessions.filter(({ key, lastUpdateTime }) => lastUpdateTime < this.#limitOf(key, now));
      await this.#each(old, now);
      pageToken = page.nextPageToken;
      if (pageToken !== undefined && old.length > 0) await sleep(PAUSE_MS, signal);
    }
  }

  #limitOf(key: SessionKey, now: number): number {
    return now - timeToLive(this.#options.rules, "sessions", key);
  }

  async #each(sessions: readonly IdleSession[], now: number): Promise<void> {
    const rest = sessions.values();
    const worker = async (): Promise<void> => {
      for (const { key } of rest) {
        this.#options.signal.throwIfAborted();
        await this.#delete(key, this.#limitOf(key, now));
      }
    };
    const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, worker));
    // None is left that still deletes.
    for (const each of ended) if (each.status === "rejected") throw each.reason;
  }

  async #delete(key: SessionKey, updatedBefore: number): Promise<void> {
    const { isDryRun = false, onSession } = this.#options;
    try {
      if (!isDryRun && !(await this.#deleteNow(key, updatedBefore))) return;
      this.#failedInARow = 0;
    } catch (error) {
      this.#failed += 1;
      this.#failedInARow += 1;
      this.#deps.logger.warn({ error, session: key }, "a session that is too old could not be deleted");
      if (this.#failedInARow >= MAX_FAILURES) throw error;
      return;
    }
    onSession?.(key);
    this.#count("sessions", key);
  }

  /** False if the session is in use. */
  #deleteNow(key: SessionKey, updatedBefore: number): Promise<boolean> {
    const { sessionService } = this.#deps;
    return inTenantOf({ tenantId: tenantOf(key) }, async () => {
      if (!(await idleSessionsOf(sessionService).closeIdleSession(key, updatedBefore))) return false;
      await this.#record(key);
      await deleteSessionParts(this.#deps, key);
      await sessionService.deleteSession(key);
      return true;
    });
  }

  /** A deletion without a record does not happen. */
  async #record({ tenantId, appName, userId, id: sessionId }: SessionKey): Promise<void> {
    const { auditor, clock } = this.#deps;
    await auditor?.require({
      kind: "decision",
      timeMs: clock.now(),
      ...inTenant(tenantId),
      subject: RETENTION_SUBJECT,
      action: "deleteSession",
      resource: { appName, userId, sessionId },
      decision: "allowed",
      requestId: this.#options.passId,
    });
  }

  #count(kind: RetainedKind, key: SessionKey): void {
    const { appName } = key;
    const tenantId = tenantOf(key);
    const name = nameOf({ kind, tenantId, appName });
    const count = (this.#counts.get(name)?.count ?? 0) + 1;
    this.#counts.set(name, { kind, tenantId, appName, count });
    if (this.#options.isDryRun !== true) this.#deps.countRetention?.(kind, 1);
  }
}

function nameOf({ kind, tenantId, appName }: Omit<RetentionCount, "count">): string {
  return [kind, tenantId, appName].join("\n");
}
