import type { App, AppSchedule } from "#kit/core/app.ts";
import { toPlatformError } from "#kit/errors/platform-error.ts";
import { assertTiming } from "#ports/schedules/cron-times.ts";
import { changedSettings } from "#services/gateway/schedules/wire-schedule.ts";
import type { AgentProblem } from "./find-source.ts";

/** Reports schedules of an app that a server would refuse, each with the text that is wrong, and those whose time is over. */
export function scheduleProblems({ schedules = [] }: Pick<App, "schedules">, nowMs: number): readonly AgentProblem[] {
  return schedules.flatMap((schedule) => problemsOf(schedule, nowMs));
}

function problemsOf(schedule: AppSchedule, nowMs: number): readonly AgentProblem[] {
  const { userId: _, name, ...change } = schedule;
  const source = { agent: name, text: schedule.cron ?? schedule.at ?? name };
  try {
    const { timing } = changedSettings(undefined, { ...change, name });
    if (timing.kind === "at" && timing.atMs <= nowMs)
      return [{ level: "warning", source, message: `Schedule "${name}": its time is over. Remove it.` }];
    // How often one may tick is a setting of each server.
    assertTiming(timing, nowMs, 0);
    return [];
  } catch (error) {
    return [{ level: "error", source, message: `Schedule "${name}": ${toPlatformError(error).message}` }];
  }
}
