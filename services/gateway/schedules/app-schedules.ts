import { isDeepStrictEqual } from "node:util";
import type { AppSchedule } from "#kit/core/app.ts";
import { keyDigest } from "#ports/rows/row-table.ts";
import { assertTiming, nextTick } from "#ports/schedules/cron-times.ts";
import type { Schedule, ScheduleSettings } from "#ports/schedules/schedule.ts";
import type { ScheduleStore } from "#ports/schedules/schedule-store.ts";
import type { GatewayDeps } from "../deps.ts";
import { AppDefinitions, hasSameMembers } from "../due/app-definitions.ts";
import { changedSettings } from "./wire-schedule.ts";

export interface AppSchedulesOptions {
  readonly store: ScheduleStore;
  /** Called when schedules of this process may be due. */
  readonly onChange: () => void;
  readonly everyMs?: number;
}

type AppSchedulesDeps = Pick<GatewayDeps, "runnerService" | "clock" | "logger" | "config">;

const PAGE = 100;
/** The most schedules of one user with the ones that apps define. */
const MAX_OF_APPS = 10_000;

/** Keeps the schedules that apps define in the store, marked as theirs. A pause stays when the definition changes. */
export function appSchedules(deps: AppSchedulesDeps, options: AppSchedulesOptions): AppDefinitions<AppSchedule> {
  const { store, everyMs } = options;
  return new AppDefinitions<AppSchedule>(deps, {
    problem: "schedules of apps cannot be used",
    definedIn: ({ schedules = [] }) => schedules,
    idOf,
    keep: (appName, definition) => keep(deps, options, { appName, definition }),
    stored: () => storedOfApps(store),
    remove: (scheduleId) => store.delete({ scheduleId }),
    everyMs,
  });
}

async function* storedOfApps(store: ScheduleStore): AsyncGenerator<Schedule, void, undefined> {
  for (let pageToken: string | undefined, isFirst = true; isFirst || pageToken !== undefined; isFirst = false) {
    const page = await store.list({ pageSize: PAGE, pageToken });
    yield* page.schedules.filter(({ source }) => source === "app");
    pageToken = page.nextPageToken;
  }
}

async function keep(
  { clock, config }: AppSchedulesDeps,
  { store, onChange }: AppSchedulesOptions,
  { appName, definition }: { readonly appName: string; readonly definition: AppSchedule },
): Promise<void> {
  const nowMs = clock.now();
  const { name, userId, ...change } = definition;
  const scheduleId = idOf(appName, definition);
  const settings = changedSettings(undefined, { ...change, name });
  const known = await store.get({ scheduleId });
  if (known !== undefined && isSame(known, settings, userId)) return;
  // A time that is over by now is not an error: the definition had it before.
  if (settings.timing.kind === "cron") assertTiming(settings.timing, nowMs, config.SCHEDULE_MIN_SECONDS * 1000);
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

function idOf(appName: string, { name }: Pick<AppSchedule, "name">): string {
  return `app-${keyDigest([appName, name]).slice(0, 32)}`;
}

/** Whether the schedule is as its definition says, whatever is paused. */
function isSame(schedule: Schedule, settings: ScheduleSettings, userId: string): boolean {
  const { name, timing, newMessage, stateDelta, sessionId, overlap, catchUp } = schedule;
  const kept = { name, timing, newMessage, stateDelta, sessionId, overlap, catchUp };
  const { enabled: _, ...wanted } = settings;
  return schedule.userId === userId && hasSameMembers(kept, wanted);
}
