import { isDeepStrictEqual } from "node:util";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { assertIdentifier } from "#kit/names/identifiers.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type * as CronTimes from "#ports/schedules/cron-times.ts";
import { type Schedule, type ScheduleOwner, type ScheduleSettings, withTick } from "#ports/schedules/schedule.ts";
import type { ScheduleStore } from "#ports/schedules/schedule-store.ts";
import { assertStateDelta } from "#ports/sessions/session-limits.ts";
import { sessionLimitsOf } from "#shared/stores/session-limits.ts";
import type { RouteDeps } from "../deps.ts";
import { checkClientState } from "../requests/state-keys.ts";
import { refuseAppState } from "../sessions/app-state.ts";
import { startScheduledRun } from "./start-scheduled-run.ts";
import { changedSettings, invalid, type ScheduleChange } from "./wire-schedule.ts";

/** The most characters of the message and the state as JSON. */
export const MAX_SCHEDULE_CHARACTERS: number = 64 * 1024;

export interface NewScheduleCall {
  readonly appName: string;
  readonly userId: string;
  readonly owner: ScheduleOwner;
  readonly change: ScheduleChange;
}

/** Schedules for requests. Throws `SCHEDULES_OFF` on a server that keeps none. */
export class ScheduleDesk {
  readonly #deps: RouteDeps;

  constructor(deps: RouteDeps) {
    this.#deps = deps;
  }

  get store(): ScheduleStore {
    const { scheduleStore } = this.#deps;
    if (scheduleStore !== undefined) return scheduleStore;
    throw new PlatformError("SCHEDULES_OFF", "This server keeps no schedules: set SCHEDULES, for example to sqlite.");
  }

  /** Throws `SCHEDULE_NOT_FOUND`. */
  async find(scheduleId: string): Promise<Schedule> {
    const schedule = await this.store.get({ scheduleId });
    if (schedule === undefined) throw notFound();
    return schedule;
  }

  /** Throws `INVALID_FIELD`, `APP_NOT_FOUND`, `TOO_MANY_SCHEDULES`. */
  async create({ appName, userId, owner, change }: NewScheduleCall): Promise<Schedule> {
    const { store } = this;
    const { clock, ids, config, runnerService } = this.#deps;
    assertIdentifier("userId", userId);
    const times = await loadTimes();
    const settings = changedSettings(undefined, change);
    this.#assertUsable(times, settings);
    await runnerService.describeApp(appName);
    const nowMs = clock.now();
    const schedule: Schedule = {
      id: ids.next(),
      appName,
      userId,
      source: "user",
      owner,
      ...settings,
      createdMs: nowMs,
      updatedMs: nowMs,
      nextMs: settings.enabled ? times.nextTick(settings.timing, nowMs) : undefined,
      lastTicks: [],
    };
    await store.create(schedule, config.MAX_SCHEDULES_PER_USER);
    this.#deps.scheduler?.look();
    return schedule;
  }

  /** Throws `SCHEDULE_NOT_FOUND`, `SCHEDULE_OF_APP`, `INVALID_FIELD`. */
  async change(scheduleId: string, change: ScheduleChange, owner: ScheduleOwner): Promise<Schedule> {
    const nowMs = this.#deps.clock.now();
    const times = await loadTimes();
    return this.#update(scheduleId, (before) => {
      if (before.source === "app") throw ofApp(before);
      const settings = changedSettings(before, change);
      this.#assertUsable(times, settings, before);
      return { ...before, ...settings, ...nextOf(times, { before, settings, nowMs }), owner, updatedMs: nowMs };
    });
  }

  /** Pauses or resumes. Throws `SCHEDULE_NOT_FOUND`. */
  async enable(scheduleId: string, enabled: boolean): Promise<Schedule> {
    const nowMs = this.#deps.clock.now();
    const times = await loadTimes();
    return this.#update(scheduleId, (before) => {
      if (before.enabled === enabled) return undefined;
      const settings = { ...before, enabled };
      return { ...settings, ...nextOf(times, { before, settings, nowMs }), updatedMs: nowMs };
    });
  }

  /** Throws `SCHEDULE_NOT_FOUND`, `SCHEDULE_OF_APP`. */
  async delete(scheduleId: string): Promise<void> {
    const schedule = await this.find(scheduleId);
    if (schedule.source === "app") throw ofApp(schedule);
    await this.store.delete({ scheduleId });
  }

  /** Starts a run now. Under a key, a repeated call returns the run of the first. */
  async trigger(scheduleId: string, key: string, keyId: string | undefined): Promise<RunRecord> {
    const schedule = await this.find(scheduleId);
    const run = await startScheduledRun(this.#deps, schedule, { label: `hand-${key}`, keyId });
    const timeMs = this.#deps.clock.now();
    const { runId } = run;
    const record = { tickMs: timeMs, outcome: "started", runId, sessionId: run.session.id, timeMs } as const;
    await this.store.update({ scheduleId }, (now) => withTick(now, { ...record, isByHand: true }));
    return run;
  }

  async #update(scheduleId: string, change: (before: Schedule) => Schedule | undefined): Promise<Schedule> {
    const schedule = await this.store.update({ scheduleId }, change);
    if (schedule === undefined) throw notFound();
    this.#deps.scheduler?.look();
    return schedule;
  }

  #assertUsable({ assertTiming }: Times, settings: ScheduleSettings, before?: ScheduleSettings): void {
    const { clock, config } = this.#deps;
    const { timing, newMessage, stateDelta, sessionId } = settings;
    if (!isDeepStrictEqual(timing, before?.timing))
      assertTiming(timing, clock.now(), config.SCHEDULE_MIN_SECONDS * 1000);
    if (sessionId !== undefined) assertIdentifier("sessionId", sessionId);
    if (JSON.stringify([newMessage, stateDelta]).length > MAX_SCHEDULE_CHARACTERS)
      throw invalid(
        "newMessage",
        `The message and \`stateDelta\` are over ${MAX_SCHEDULE_CHARACTERS} characters of JSON. Keep files as artifacts.`,
      );
    if (stateDelta === undefined) return;
    checkClientState(stateDelta);
    refuseAppState(config, stateDelta);
    assertStateDelta(stateDelta, sessionLimitsOf(config));
  }
}

type Times = typeof CronTimes;

/** Loaded only by servers that have schedules. */
function loadTimes(): Promise<Times> {
  return import("#ports/schedules/cron-times.ts");
}

interface Change {
  readonly before: Schedule;
  readonly settings: ScheduleSettings;
  readonly nowMs: number;
}

/** The changes of a schedule's next tick. A tick that is due stays due, unless the time is another one. */
function nextOf({ nextTick }: Times, { before, settings: { timing, enabled }, nowMs }: Change): Partial<Schedule> {
  if (!enabled) return { nextMs: undefined, seenMs: undefined, failures: undefined };
  if (before.enabled && isDeepStrictEqual(timing, before.timing)) return {};
  return { nextMs: nextTick(timing, nowMs), seenMs: undefined, failures: undefined };
}

function notFound(): PlatformError {
  return new PlatformError("SCHEDULE_NOT_FOUND", "There is no schedule of that id for the caller.");
}

function ofApp({ appName, name }: Schedule): PlatformError {
  return new PlatformError(
    "SCHEDULE_OF_APP",
    `The definition of the app "${appName}" has the schedule "${name}": change it there, or pause it here.`,
  );
}
