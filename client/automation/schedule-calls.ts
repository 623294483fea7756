import type { Content } from "#kit/events/content.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { apiPath, newKey, queryOf } from "../api-path.ts";
import { checkAnswer, pageOf, readNothing, readRun } from "../check-answer.ts";
import type { HttpClient } from "../http-client.ts";
import type { CallOptions, CreateOptions, RunData } from "../wire-types.ts";

/** A tick of a schedule, with its outcome. Times are milliseconds since the epoch. */
export interface TickData {
  readonly time: number;
  readonly outcome: "started" | "skipped" | "missed" | "failed";
  readonly runId?: string;
  readonly sessionId?: string;
  readonly decidedTime: number;
  readonly reason?: string;
  readonly count?: number;
  readonly byHand?: boolean;
}

/** Runs that start at times. */
export interface ScheduleData {
  readonly id: string;
  readonly appName: string;
  readonly userId: string;
  readonly name?: string;
  /** `app`: the app's definition has it. */
  readonly source: "user" | "app";
  readonly cron?: string;
  readonly timeZone?: string;
  readonly at?: string;
  readonly newMessage: Content;
  readonly sessionId?: string;
  readonly stateDelta?: JsonObject;
  readonly overlap: "skip" | "queue" | "allow";
  readonly catchUp: "none" | "one" | "all";
  readonly enabled: boolean;
  /** Milliseconds since the epoch; absent: paused, or its last tick is over. */
  readonly nextTime?: number;
  readonly createdTime: number;
  readonly updatedTime: number;
  /** The newest first. */
  readonly lastTicks: readonly TickData[];
}

/** One page of schedules. */
export interface SchedulePage {
  readonly schedules: readonly ScheduleData[];
  /** Absent on the last page. */
  readonly nextPageToken?: string;
}

/** The members of a schedule that change: absent ones stay, and null removes one. */
export interface ScheduleChange {
  readonly name?: string | null | undefined;
  readonly cron?: string | null | undefined;
  readonly timeZone?: string | null | undefined;
  readonly at?: string | null | undefined;
  readonly text?: string | null | undefined;
  readonly newMessage?: Content | null | undefined;
  readonly sessionId?: string | null | undefined;
  readonly stateDelta?: JsonObject | null | undefined;
  readonly overlap?: ScheduleData["overlap"] | null | undefined;
  readonly catchUp?: ScheduleData["catchUp"] | null | undefined;
  readonly enabled?: boolean | null | undefined;
}

/** A new schedule: its message as `text` or `newMessage`, and its time as `cron` or `at`. */
export interface NewSchedule extends ScheduleChange {
  /** The server's default app if absent. */
  readonly appName?: string | undefined;
  readonly userId: string;
}

/** Which schedules `schedules.list` returns. */
export interface ListSchedulesOptions extends CallOptions {
  /** All apps if absent. */
  readonly appName?: string | undefined;
  /** All users that the caller reaches if absent. */
  readonly userId?: string | undefined;
  /** 50 if absent, 100 at most. */
  readonly pageSize?: number | undefined;
  /** The `nextPageToken` of the page before. */
  readonly pageToken?: string | undefined;
}

/** Runs that start at times, on a server that keeps schedules. */
export interface ScheduleCalls {
  list(options?: ListSchedulesOptions): Promise<SchedulePage>;
  get(scheduleId: string, options?: CallOptions): Promise<ScheduleData>;
  create(schedule: NewSchedule, options?: CreateOptions): Promise<ScheduleData>;
  update(scheduleId: string, change: ScheduleChange, options?: CallOptions): Promise<ScheduleData>;
  delete(scheduleId: string, options?: CallOptions): Promise<void>;
  /** Leaves ticks out until `resume`. */
  pause(scheduleId: string, options?: CallOptions): Promise<ScheduleData>;
  resume(scheduleId: string, options?: CallOptions): Promise<ScheduleData>;
  /** Starts a run now, whatever the times are. */
  trigger(scheduleId: string, options?: CreateOptions): Promise<RunData>;
}

export function createScheduleCalls(http: HttpClient): ScheduleCalls {
  return {
    list: async ({ signal, ...query } = {}) => http.get(`/v1/schedules${queryOf(query)}`, signal, readSchedulePage),
    get: async (id, { signal } = {}) => http.get(apiPath`/v1/schedules/${id}`, signal, readSchedule),
    create: async (body, { signal, idempotencyKey = newKey() } = {}) => {
      const headers = { "idempotency-key": idempotencyKey };
      return http.send({ method: "POST", path: "/v1/schedules", body, headers, signal }, readSchedule);
    },
    update: async (id, body, { signal } = {}) =>
      http.send({ method: "PATCH", path: apiPath`/v1/schedules/${id}`, body, signal }, readSchedule),
    delete: async (id, { signal } = {}) =>
      http.send({ method: "DELETE", path: apiPath`/v1/schedules/${id}`, signal }, readNothing),
    pause: async (id, { signal } = {}) =>
      http.send({ method: "POST", path: apiPath`/v1/schedules/${id}/pause`, signal }, readSchedule),
    resume: async (id, { signal } = {}) =>
      http.send({ method: "POST", path: apiPath`/v1/schedules/${id}/resume`, signal }, readSchedule),
    trigger: async (id, { signal, idempotencyKey = newKey() } = {}) => {
      const headers = { "idempotency-key": idempotencyKey };
      return http.send({ method: "POST", path: apiPath`/v1/schedules/${id}/trigger`, headers, signal }, readRun);
    },
  };
}

function readSchedule(value: unknown): ScheduleData {
  const members = { id: "string", appName: "string", userId: "string", lastTicks: "array" } as const;
  return checkAnswer("The schedule", value, members) as unknown as ScheduleData;
}

const readSchedulePage = pageOf<SchedulePage>("The list of schedules", "schedules", readSchedule);
