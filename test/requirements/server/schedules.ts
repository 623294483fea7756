import type { Requirement } from "#test/requirements/requirement.ts";

/** Runs that start at times. */
export const schedules: readonly Requirement[] = [
  {
    id: "schedules:times",
    status: "verified",
    text: "A schedule ticks by a cron expression of five fields in a time zone, or once. Hours of the day follow the clock on the wall: a time in a skipped hour ticks once at its end, a time in a doubled hour in the first one. Expressions of every hour follow real time. What cannot tick is refused, with its field.",
  },
  {
    id: "schedules:once",
    status: "verified",
    text: "A tick starts one run over all gateways, as its user and with an idempotency key of the schedule and the time: a gateway that is killed between the start and the commit of it starts nothing twice.",
  },
  {
    id: "schedules:overlap",
    status: "verified",
    text: "While a run of the schedule has not ended, a tick is left out, waits for its end, or starts too.",
  },
  {
    id: "schedules:catch-up",
    status: "verified",
    text: "Of the ticks that no gateway could start in time, none, the newest or all start, at most the newest hundred.",
  },
  {
    id: "schedules:access",
    status: "verified",
    text: "Each tick is held to what its maker's credentials allow now: the rules of apps, its API key, the quotas and the limits of runs. A schedule of another user or tenant is like one that does not exist.",
  },
  {
    id: "schedules:limits",
    status: "verified",
    text: "A user has at most MAX_SCHEDULES_PER_USER schedules, with messages of at most 64 KiB, and none ticks more often than SCHEDULE_MIN_SECONDS.",
  },
  {
    id: "schedules:data",
    status: "verified",
    text: "The export and the deletion of a tenant or a user reach schedules; a deletion removes them before it ends their runs.",
  },
  {
    id: "schedules:calls",
    status: "verified",
    text: "`/v1/schedules` creates, lists, reads, changes, deletes, pauses, resumes and triggers schedules, in all stores of rows; without SCHEDULES it answers SCHEDULES_OFF.",
  },
  {
    id: "schedules:apps",
    status: "verified",
    text: "The schedules of an app's definition are kept in the store: created, changed and deleted with it, while a pause stays; a broken app or a wrong time changes nothing and is in the log.",
  },
];
