import { isDeepStrictEqual } from "node:util";
import type { AppSchedule } from "#kit/core/app.ts";
import { toPlatformError } from "#kit/errors/platform-error.ts";
import { keyDigest } from "#ports/rows/row-table.ts";
import { assertTiming, nextTick } from "#ports/schedules/cron-times.ts";
import type { Schedule, ScheduleSettings } from "#ports/schedules/schedule.ts";
import type { ScheduleStore } from "#ports/schedules/schedule-store.ts";
import { outsideCallScope } from "#shared/security/call-scope.ts";
import type { GatewayDeps } from "../deps.ts";
import { changedSettings } from "./wire-schedule.ts";

export interface AppSchedulesOptions {
  readonly store: ScheduleStore;
  /** Called when schedules of this process may be due. */
  readonly onChange: () => void;
  readonly everyMs?: number;
}

type AppSchedulesDeps = Pick<GatewayDeps, "runnerService" | "clock" | "logger" | "config">;

/** Definitions are read again so often, because a new version of an app needs no restart of the gateway. */
const EVERY_MS = 60_000;
/**
 * A schedule that was deleted with its definition would lose its pause and its next tick. While runners are replaced,
 * some have the definition and others do not.
 */
const PASSES_UNTIL_GONE = 5;
/** The pause while no runner answers. */
const RETRY_MS = 5_000;
const PAGE = 100;
/** The most schedules of one user with the ones that apps define. */
const MAX_OF_APPS = 10_000;

/**
 * Keeps the schedules that apps define in the store, marked as theirs. All gateways do the same: a schedule's id is made of
 * its app and name. What the definition changes is changed, a pause stays, and a schedule that it has not
 * had for some minutes is deleted.
 */
export class AppSchedules {
  readonly #deps: AppSchedulesDeps;
  readonly #options: AppSchedulesOptions;
  /** Problems that the log has, by app. */
  readonly #reported = new Map<string, string>();
  /** For how many passes no definition has had a stored schedule of an app, by its id. */
  readonly #absent = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #pass: Promise<void> | undefined;
  #isStopped = false;

  constructor(deps: AppSchedulesDeps, options: AppSchedulesOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  start(): void {
    this.#passIn(0);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#pass;
  }

  #passIn(delayMs: number): void {
    if (this.#isStopped) return;
    const { everyMs = EVERY_MS } = this.#options;
    this.#timer = setTimeout(() => {
      this.#pass = outsideCallScope(() => this.synchronise()).then(
        () => this.#passIn(everyMs),
        (error: unknown) => {
          this.#report("", toPlatformError(error).message);
          this.#passIn(Math.min(RETRY_MS, everyMs));
        },
      );
    }, delayMs).unref();
  }

  /** Throws if the apps or the store cannot be read. */
  async synchronise(): Promise<void> {
    const { runnerService } = this.#deps;
    const defined = new Set<string>();
    const broken = new Set<string>();
    for (const appName of await runnerService.listApps()) {
      try {
        const { schedules = [] } = await runnerService.describeApp(appName);
        for (const schedule of schedules) defined.add(idOf(appName, schedule));
        const problems: string[] = [];
        // One that cannot be used stays as it is stored.
        for (const schedule of schedules)
          await this.#keep(appName, schedule).catch((error: unknown) => {
            problems.push(`${schedule.name}: ${toPlatformError(error).message}`);
          });
        if (problems.length > 0) this.#report(appName, problems.join(" "));
        else this.#reported.delete(appName);
      } catch (error) {
        // Its schedules stay as they are.
        broken.add(appName);
        this.#report(appName, toPlatformError(error).message);
      }
    }
    for await (const { id, appName, source } of this.#stored())
      if (source === "app" && !broken.has(appName)) await this.#deleteIfGone(id, defined.has(id));
  }

  async #deleteIfGone(scheduleId: string, isDefined: boolean): Promise<void> {
    const passes = isDefined ? 0 : (this.#absent.get(scheduleId) ?? 0) + 1;
    if (passes > 0 && passes < PASSES_UNTIL_GONE) {
      this.#absent.set(scheduleId, passes);
      return;
    }
    this.#absent.delete(scheduleId);
    if (passes > 0) await this.#options.store.delete({ scheduleId });
  }

  async *#stored(): AsyncGenerator<Schedule, void, undefined> {
    for (let pageToken: string | undefined, isFirst = true; isFirst || pageToken !== undefined; isFirst = false) {
      const page = await this.#options.store.list({ pageSize: PAGE, pageToken });
      yield* page.schedules;
      pageToken = page.nextPageToken;
    }
  }

  async #keep(appName: string, definition: AppSchedule): Promise<void> {
    const { store, onChange } = this.#options;
    const nowMs = this.#deps.clock.now();
    const { name, userId, ...change } = definition;
    const scheduleId = idOf(appName, definition);
    const settings = changedSettings(undefined, { ...change, name });
    const known = await store.get({ scheduleId });
    if (known !== undefined && isSame(known, settings, userId)) return;
    // A time that is over by now is not an error: the definition had it before.
    if (settings.timing.kind === "cron")
      assertTiming(settings.timing, nowMs, this.#deps.config.SCHEDULE_MIN_SECONDS * 1000);
    if (known !== undefined && known.userId !== userId) await store.delete({ scheduleId });
    const { enabled = true } = known ?? {};
    const nextMs = enabled ? nextTick(settings.timing, nowMs) : undefined;
    const fresh = { ...settings, enabled, nextMs, seenMs: undefined, failures: undefined, updatedMs: nowMs };
    const isMade = await store.create(
      {
        ...{ id: scheduleId, appName, userId, source: "app", owner: { groups: [] }, createdMs: nowMs, lastTicks: [] },
        ...fresh,
      },
      MAX_OF_APPS,
    );
    if (!isMade)
      await store.update({ scheduleId }, (before) => {
        if (isSame(before, settings, userId)) return undefined;
        const isTimeKept = isDeepStrictEqual(before.timing, settings.timing);
        const { nextMs: kept, seenMs, failures } = before;
        return { ...before, ...fresh, enabled: before.enabled, ...(isTimeKept && { nextMs: kept, seenMs, failures }) };
      });
    onChange();
  }

  /** Each problem is reported once, until it is another one. */
  #report(appName: string, problem: string): void {
    if (this.#reported.get(appName) === problem) return;
    this.#reported.set(appName, problem);
    this.#deps.logger.warn({ appName, problem }, "schedules of apps cannot be used");
  }
}

function idOf(appName: string, { name }: AppSchedule): string {
  return `app-${keyDigest([appName, name]).slice(0, 32)}`;
}

/** Whether the schedule is as its definition says, whatever is paused. */
function isSame(schedule: Schedule, settings: ScheduleSettings, userId: string): boolean {
  const { name, timing, newMessage, stateDelta, sessionId, overlap, catchUp } = schedule;
  const kept = { name, timing, newMessage, stateDelta, sessionId, overlap, catchUp };
  const { enabled: _, ...wanted } = settings;
  return schedule.userId === userId && isDeepStrictEqual(withoutAbsent(kept), withoutAbsent(wanted));
}

/** Members without a value are not stored. */
function withoutAbsent(value: object): unknown {
  return JSON.parse(JSON.stringify(value));
}
