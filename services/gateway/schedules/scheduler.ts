import { appNotFound } from "#kit/definitions/loaders/agent-loader.ts";
import { type PlatformError, toPlatformError } from "#kit/errors/platform-error.ts";
import { inTenant, tenantOf } from "#kit/names/tenant.ts";
import { isTerminal } from "#kit/sessions/run-record.ts";
import { decideTick } from "#ports/schedules/decide-tick.ts";
import type { Schedule, TickRecord } from "#ports/schedules/schedule.ts";
import type { DueSchedule, ScheduleStore, Settlement, TakenSchedule } from "#ports/schedules/schedule-store.ts";
import { inCallScope } from "#shared/security/call-scope.ts";
import { type AppRules, mayUseApp } from "../access/app-rules.ts";
import type { RouteDeps } from "../deps.ts";
import { DueLoop, decideDue } from "../due/due-loop.ts";
import { EVERYBODY } from "../identity/caller.ts";
import { assertKeyAllows } from "./key-allows.ts";
import { startScheduledRun, timeLabel } from "./start-scheduled-run.ts";

export interface SchedulerOptions {
  /** The server's own store: it does not check a caller. */
  readonly store: ScheduleStore;
  /** Whether other processes store schedules too, which this one finds by looking. */
  readonly isShared: boolean;
  readonly appRules: () => AppRules | undefined;
  /** How long a process may take for one tick until another one takes it. */
  readonly leaseMs?: number;
  readonly lookMs?: number;
}

const LEASE_MS = 30_000;
/** How often schedules of other processes are looked for. */
const LOOK_MS = 10_000;
/** How often a tick that waits looks whether the run before it has ended. */
const WAIT_MS = 2_000;
/** The pause after a failure that may pass, such as a busy runner: twice as long after each further one, within limits. */
const FIRST_RETRY_MS = 5_000;
const MAX_RETRY_MS = 5 * 60_000;
/** A tick that failed so often is over: an hour after the first failure. */
const MAX_FAILURES = 16;
/** How long a schedule is kept whose last tick is over. */
const KEPT_AFTER_END_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * Starts the runs of schedules when they are due. A schedule is leased, so that one process at a time decides about its
 * ticks. The run's idempotency key names the tick: a process that is lost between the start and the commit of the decision
 * leaves the tick to another one, which finds the run.
 */
export class Scheduler {
  readonly #deps: RouteDeps;
  readonly #options: SchedulerOptions;
  readonly #loop: DueLoop;

  /** Uses the ports of requests: each tick reaches what its user reaches. */
  constructor(deps: RouteDeps, options: SchedulerOptions) {
    this.#deps = deps;
    this.#options = options;
    const { store, isShared, lookMs = LOOK_MS } = options;
    const { clock, logger } = deps;
    const problem = "schedules cannot be read";
    const listDue = (limit: number) => store.listDue(limit);
    const decide = (due: DueSchedule) => this.#tick(due);
    const lookOnce = () => decideDue({ listDue, decide, clock, loop: this.#loop });
    this.#loop = new DueLoop({ lookOnce, isShared, lookMs, logger, problem });
  }

  /** Schedules of this process may be due. */
  look(): void {
    this.#loop.look();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Never throws. Returns false if the tick could not be decided: it is due again when its lease ends. */
  async #tick(due: DueSchedule): Promise<boolean> {
    const { store, leaseMs = LEASE_MS } = this.#options;
    const { clock, logger } = this.#deps;
    try {
      const taken = await store.take(due, clock.now() + leaseMs);
      if (taken === undefined) return true;
      const { schedule } = taken;
      if (schedule.nextMs === undefined) await store.delete({ ...schedule, scheduleId: schedule.id });
      else {
        const settlement = await this.#decide(taken);
        // Before the commit, so that no process is lost between them: a repetition adds the same messages.
        for (const record of settlement.records) await this.#report(schedule, record);
        await store.settle(taken, settlement);
      }
      return true;
    } catch (error) {
      logger.warn({ error, schedule: due.key }, "the tick of a schedule was not decided");
      return false;
    }
  }

  /** Tells webhooks of ticks that start no run. */
  async #report(schedule: Schedule, { outcome, tickMs, count }: TickRecord): Promise<void> {
    const { webhooks } = this.#deps;
    if (webhooks === undefined || (outcome !== "missed" && outcome !== "skipped")) return;
    const { id, name, appName, userId, tenantId } = schedule;
    const data = { scheduleId: id, name, appName, userId, tickTime: tickMs, count };
    const session = { ...inTenant(tenantId), appName, userId, id: `schedule-${id}` };
    await webhooks.report({
      type: `schedule.${outcome}`,
      timeMs: tickMs,
      session,
      about: `${outcome}/${id}/${tickMs}`,
      data,
    });
  }

  /** Decides and starts as the schedule's user. */
  #decide({ schedule, wasLost }: TakenSchedule): Promise<Settlement> {
    const { appName, userId, owner } = schedule;
    const tenantId = tenantOf(schedule);
    const caller = { ...EVERYBODY, tenantId, userId, groups: owner.groups, apps: owner.apps };
    const mayUse = (name: string) => mayUseApp(caller, name, this.#options.appRules());
    const principal = { tenantId, appName, userId, scopes: [], mayUse };
    return inCallScope({ principal }, () => this.#decideInScope(schedule, wasLost, mayUse));
  }

  async #decideInScope(
    schedule: Schedule,
    isBegun: boolean,
    mayUse: (appName: string) => boolean,
  ): Promise<Settlement> {
    const { clock } = this.#deps;
    const nowMs = clock.now();
    const isActive = schedule.overlap !== "allow" && (await this.#hasActiveRun(schedule));
    const { startMs, records, nextMs, isWaiting } = decideTick({ schedule, nowMs, isBegun, isActive });
    if (isWaiting === true) return { records, nextMs, seenMs: nowMs, dueMs: nowMs + WAIT_MS };
    const { seenMs } = schedule;
    const next = { nextMs, seenMs, dueMs: nextMs ?? nowMs + KEPT_AFTER_END_MS };
    if (startMs === undefined) return { ...next, records };
    try {
      const started = await this.#start(schedule, startMs, mayUse);
      return { ...next, records: [...records, started] };
    } catch (thrown) {
      return this.#afterFailure(schedule, startMs, toPlatformError(thrown), { ...next, records });
    }
  }

  async #start(schedule: Schedule, tickMs: number, mayUse: (appName: string) => boolean): Promise<TickRecord> {
    if (!mayUse(schedule.appName)) throw appNotFound(schedule.appName);
    const { keyId } = schedule.owner;
    await assertKeyAllows(this.#deps.unguarded.apiKeys, schedule);
    const run = await startScheduledRun(this.#deps, schedule, { label: timeLabel(tickMs), keyId });
    this.#note(schedule, { runId: run.runId, sessionId: run.session.id });
    const timeMs = this.#deps.clock.now();
    return { tickMs, outcome: "started", runId: run.runId, sessionId: run.session.id, timeMs };
  }

  #afterFailure(schedule: Schedule, tickMs: number, error: PlatformError, next: Settlement): Settlement {
    const { clock, logger } = this.#deps;
    const nowMs = clock.now();
    const failures = (schedule.failures ?? 0) + 1;
    if (error.retryable && failures < MAX_FAILURES) {
      const delayMs = Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), MAX_RETRY_MS);
      // It waits, and is not missed meanwhile.
      return { records: next.records, nextMs: tickMs, seenMs: tickMs, failures, dueMs: nowMs + delayMs };
    }
    const { reason } = error;
    logger.warn({ error, schedule: schedule.id, appName: schedule.appName }, "a schedule could not start its run");
    this.#note(schedule, {}, reason);
    return { ...next, records: [...next.records, { tickMs, outcome: "failed", timeMs: nowMs, reason }] };
  }

  #note(schedule: Schedule, ids: { readonly runId?: string; readonly sessionId?: string }, reason?: string): void {
    const { auditor, clock, ids: names } = this.#deps;
    const { id, appName, userId, tenantId, owner } = schedule;
    auditor?.note({
      kind: "decision",
      timeMs: clock.now(),
      ...(tenantId !== undefined && { tenantId }),
      subject: `schedule:${id}`,
      ...(owner.keyId !== undefined && { keyId: owner.keyId }),
      action: "startScheduledRun",
      resource: { appName, userId, ...ids, id },
      decision: reason === undefined ? "allowed" : "refused",
      ...(reason !== undefined && { reason }),
      requestId: names.next(),
    });
  }

  async #hasActiveRun({ lastTicks }: Schedule): Promise<boolean> {
    const ids = lastTicks.flatMap(({ runId }) => runId ?? []);
    const runs = await Promise.all(ids.map((runId) => this.#deps.runJournal.get(runId)));
    return runs.some((run) => run !== undefined && !isTerminal(run.status));
  }
}
