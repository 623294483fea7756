import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Content } from "#kit/events/content.ts";
import { isBlank } from "#kit/names/identifiers.ts";
import { fromIsoTime, toIsoTime } from "#kit/platform/iso-time.ts";
import { type Shape, type Static, Type } from "#kit/schema/shape.ts";
import type { Timing } from "#ports/schedules/cron-times.ts";
import {
  CATCH_UPS,
  OVERLAPS,
  type Schedule,
  type ScheduleSettings,
  type TickRecord,
} from "#ports/schedules/schedule.ts";
import { ContentSchema, JsonMap } from "../requests/wire-schemas.ts";

const Nullable = <Value>(shape: Shape<Value>) => Type.Optional(Type.Union([shape, Type.Null()]));

const MAX_NAME_LENGTH = 200;

const Settings = {
  name: Nullable(Type.String({ description: "What the schedule is for, in at most 200 characters." })),
  cron: Nullable(
    Type.String({ description: 'Five fields: minute, hour, day, month, weekday, such as "0 9 * * MON-FRI".' }),
  ),
  timeZone: Nullable(Type.String({ description: "The zone of `cron`, such as Europe/Berlin; UTC if absent." })),
  at: Nullable(Type.String({ description: "In place of `cron`: one time, such as 2027-01-31T09:00:00+01:00." })),
  text: Nullable(Type.String({ description: "The message, in place of `newMessage`." })),
  newMessage: Nullable(ContentSchema),
  sessionId: Nullable(
    Type.String({
      description: "The session of all runs, created if it does not exist. Absent: a new one for each run.",
    }),
  ),
  stateDelta: Nullable(Type.JsonObject({ description: "State to set before each run; null removes a key." })),
  overlap: Nullable(
    Type.Enum([...OVERLAPS], {
      description:
        "What happens to a tick while a run of the schedule has not ended: `skip` leaves it out (the default), `queue` lets it wait, `allow` starts it too.",
    }),
  ),
  catchUp: Nullable(
    Type.Enum([...CATCH_UPS], {
      description:
        "Which ticks start late that no server could start in time: `none`, the newest `one` (the default), or `all`, at most 100.",
    }),
  ),
  enabled: Nullable(Type.Boolean({ description: "False: paused. True if absent." })),
} as const;

export const NewSchedule = Type.Object({
  appName: Nullable(Type.String({ description: "The app to run; the server's default app if absent." })),
  userId: Type.String({ description: "The user for whom it runs." }),
  ...Settings,
});

/** Absent members stay as they are. */
export const ScheduleChange = Type.Object(Settings);
export type ScheduleChange = Static<typeof ScheduleChange>;

const TickSchema = Type.Object({
  time: Type.Integer({ description: "When it was due, in milliseconds since the epoch." }),
  outcome: Type.Enum(["started", "skipped", "missed", "failed"]),
  runId: Type.Optional(Type.String()),
  sessionId: Type.Optional(Type.String()),
  decidedTime: Type.Integer(),
  reason: Type.Optional(Type.String({ description: "Why it failed." })),
  count: Type.Optional(Type.Integer({ description: "Of missed ticks: how many, at least." })),
  byHand: Type.Optional(Type.Boolean({ description: "Started between ticks, on request." })),
});

export const ScheduleSchema = Type.Object({
  id: Type.String(),
  appName: Type.String(),
  userId: Type.String(),
  name: Type.Optional(Type.String()),
  source: Type.Enum(["user", "app"], { description: "`app`: the app's definition has it." }),
  cron: Type.Optional(Type.String()),
  timeZone: Type.Optional(Type.String()),
  at: Type.Optional(Type.String()),
  newMessage: ContentSchema,
  sessionId: Type.Optional(Type.String()),
  stateDelta: Type.Optional(JsonMap),
  overlap: Type.Enum([...OVERLAPS]),
  catchUp: Type.Enum([...CATCH_UPS]),
  enabled: Type.Boolean(),
  nextTime: Type.Optional(
    Type.Integer({ description: "Milliseconds since the epoch. Absent: paused, or its last tick is over." }),
  ),
  createdTime: Type.Integer(),
  updatedTime: Type.Integer(),
  lastTicks: Type.Array(TickSchema, { description: "What became of the last ten ticks, the newest first." }),
});

export type WireSchedule = Static<typeof ScheduleSchema>;

export function toWireSchedule(schedule: Schedule): WireSchedule {
  const { id, appName, userId, name, source, timing, newMessage, sessionId, stateDelta } = schedule;
  const { overlap, catchUp, enabled, nextMs: nextTime, createdMs, updatedMs, lastTicks } = schedule;
  const times =
    timing.kind === "at" ? { at: toIsoTime(timing.atMs) } : { cron: timing.cron, timeZone: timing.timeZone };
  return {
    ...{ id, appName, userId, name, source, ...times, newMessage, sessionId, stateDelta },
    ...{ overlap, catchUp, enabled, nextTime, createdTime: createdMs, updatedTime: updatedMs },
    lastTicks: lastTicks.map(toWireTick),
  };
}

function toWireTick({ tickMs, timeMs, isByHand, ...tick }: TickRecord): WireSchedule["lastTicks"][number] {
  return { time: tickMs, ...tick, decidedTime: timeMs, byHand: isByHand };
}

/** The settings with a change. Throws `INVALID_FIELD` for members that contradict each other. */
export function changedSettings(
  before: ScheduleSettings | undefined,
  { text, newMessage, ...change }: ScheduleChange,
): ScheduleSettings {
  const message = messageOf(text, newMessage) ?? before?.newMessage;
  if (message === undefined) throw invalid("text", "Give the message: `text`, or `newMessage`.");
  const own = <Name extends keyof typeof change & keyof ScheduleSettings>(name: Name) =>
    change[name] === undefined ? before?.[name] : (change[name] ?? undefined);
  const settings: ScheduleSettings = {
    name: own("name") as string | undefined,
    timing: timingOf(change, before?.timing),
    newMessage: message,
    stateDelta: own("stateDelta") as ScheduleSettings["stateDelta"],
    sessionId: own("sessionId") as string | undefined,
    overlap: change.overlap ?? before?.overlap ?? "skip",
    catchUp: change.catchUp ?? before?.catchUp ?? "one",
    enabled: change.enabled ?? before?.enabled ?? true,
  };
  if ((settings.name?.length ?? 0) > MAX_NAME_LENGTH)
    throw invalid("name", `\`name\` is over ${MAX_NAME_LENGTH} characters.`);
  if (settings.catchUp === "all" && settings.overlap === "skip")
    throw invalid("catchUp", "`catchUp: all` starts ticks one after the other: give it `overlap: queue` or `allow`.");
  return settings;
}

function messageOf(text: string | null | undefined, newMessage: Content | null | undefined): Content | undefined {
  const given = newMessage ?? undefined;
  if (isBlank(text)) return given;
  if (given !== undefined) throw invalid("text", "Give either `text` or `newMessage`.");
  return { role: "user", parts: [{ text }] };
}

function timingOf({ cron, timeZone, at }: ScheduleChange, before: Timing | undefined): Timing {
  if (!isBlank(cron) && !isBlank(at)) throw invalid("at", "Give either `cron` or `at`.");
  const earlier = before?.kind === "cron" ? before : undefined;
  if (!isBlank(at)) {
    if (!isBlank(timeZone)) throw invalid("timeZone", "`timeZone` belongs to `cron`: `at` has its own offset.");
    return { kind: "at", atMs: timeIn(at) };
  }
  const expression = isBlank(cron) ? earlier?.cron : cron;
  if (expression === undefined) {
    if (before === undefined) throw invalid("cron", "Give the time: `cron`, or `at`.");
    if (!isBlank(timeZone)) throw invalid("timeZone", "`timeZone` belongs to `cron`, and the schedule has `at`.");
    return before;
  }
  return { kind: "cron", cron: expression, timeZone: isBlank(timeZone) ? (earlier?.timeZone ?? "UTC") : timeZone };
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/;

function timeIn(text: string): number {
  const timeMs = TIME.test(text) ? fromIsoTime(text) : undefined;
  if (timeMs === undefined)
    throw invalid("at", "`at` is a time with its offset, such as 2027-01-31T09:00:00+01:00 or 2027-01-31T08:00:00Z.");
  return timeMs;
}

export function invalid(field: string, message: string): PlatformError {
  return new PlatformError("INVALID_FIELD", message, { details: { field } });
}
