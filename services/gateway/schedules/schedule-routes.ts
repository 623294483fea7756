import type { FastifyRequest } from "fastify";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { Type } from "#kit/schema/shape.ts";
import type { ScheduleOwner } from "#ports/schedules/schedule.ts";
import { SCHEDULE_PAGE_CHARACTERS } from "#ports/schedules/tabular-schedule-store.ts";
import type { RouteDeps } from "../deps.ts";
import { recordBytes } from "../http/answer-bound.ts";
import { JSON_TYPE } from "../http/errors.ts";
import { callerOf } from "../identity/authenticator.ts";
import { described } from "../openapi/route-description.ts";
import { RUN_RECORD_EXAMPLE, START_ERRORS } from "../openapi/run-examples.ts";
import { answerOnce, CreateHeaders, digest, readIdempotencyKey } from "../requests/idempotency.ts";
import type { TypedRoutes } from "../requests/typed-routes.ts";
import { answers } from "../requests/wire-schemas.ts";
import { RunSchema, toWireRun } from "../runs/wire-run.ts";
import { MAX_SCHEDULE_CHARACTERS, ScheduleDesk } from "./schedule-desk.ts";
import { NewSchedule, ScheduleChange, ScheduleSchema, toWireSchedule } from "./wire-schedule.ts";

const DEFAULT_PAGE = 50;
const READ = { scope: "sessions:read", owner: "run-id" } as const;
const WRITE = { scope: "runs:write", owner: "run-id" } as const;
const TAG = ["schedules"] as const;
/** A schedule with the records of its ticks, as record, value and text. */
const SCHEDULE_BYTES = 3 * 2 * MAX_SCHEDULE_CHARACTERS;
const scheduleBytes = () => SCHEDULE_BYTES;

const ScheduleParams = Type.Object({ scheduleId: Type.String() });
const ListQuery = Type.Object({
  appName: Type.Optional(Type.String()),
  userId: Type.Optional(Type.String()),
  pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  pageToken: Type.Optional(Type.String()),
});
const SchedulePage = Type.Object({
  schedules: Type.Array(ScheduleSchema),
  nextPageToken: Type.Optional(Type.String({ description: "Absent on the last page." })),
});

/** Where the other operations of a schedule find its id. */
const SCHEDULE_ID = { scheduleId: "/id" } as const;

const EXAMPLE = {
  appName: "weather",
  userId: "me",
  name: "Weather on working days",
  cron: "0 9 * * MON-FRI",
  timeZone: "Europe/Paris",
  text: "What is the weather in Paris?",
} as const;
const SETTING_ERRORS = ["INVALID_FIELD", "INVALID_IDENTIFIER", "RESERVED_STATE_KEY", "APP_STATE_READ_ONLY"] as const;
const OF_ONE = ["SCHEDULES_OFF", "SCHEDULE_NOT_FOUND"] as const;

/** Runs that start at times: they are set up, changed, paused and started by hand. */
export function scheduleRoutes(deps: RouteDeps): TypedRoutes {
  const desk = new ScheduleDesk(deps);
  return async (app) => {
    app.post(
      "/v1/schedules",
      {
        schema: described({
          operationId: "createSchedule",
          answer: scheduleBytes,
          access: { scope: "runs:write", owner: "body-user" },
          tags: TAG,
          summary: "Start runs at times: by a cron expression in a time zone, or once",
          description:
            "Each tick starts one run in the background, as the user, however many servers there are. A schedule of an API key starts nothing once the key is revoked.",
          errors: ["SCHEDULES_OFF", "TOO_MANY_SCHEDULES", "APP_NAME_MISSING", "APP_NOT_FOUND", ...SETTING_ERRORS],
          headers: CreateHeaders,
          body: NewSchedule,
          example: EXAMPLE,
          response: answers({ 201: ScheduleSchema }),
          links: {
            readSchedule: SCHEDULE_ID,
            updateSchedule: SCHEDULE_ID,
            deleteSchedule: SCHEDULE_ID,
            pauseSchedule: SCHEDULE_ID,
            resumeSchedule: SCHEDULE_ID,
            triggerSchedule: SCHEDULE_ID,
          },
        }),
      },
      async (request, reply) => {
        const { appName, userId, ...change } = request.body;
        const named = appName || deps.config.DEFAULT_APP_NAME;
        if (named === "") throw new PlatformError("APP_NAME_MISSING", "appName is required: there is no default app.");
        const key = readIdempotencyKey(request.headers);
        const call = { store: deps.idempotencyStore, scope: ["schedules", userId], key, body: request.body };
        const text = await answerOnce(call, async () => {
          const schedule = await desk.create({ appName: named, userId, owner: ownerOf(request), change });
          return JSON.stringify(toWireSchedule(schedule));
        });
        return reply.code(201).type(JSON_TYPE).send(text);
      },
    );

    app.get(
      "/v1/schedules",
      {
        schema: described({
          operationId: "listSchedules",
          answer: () => 3 * SCHEDULE_PAGE_CHARACTERS + SCHEDULE_BYTES,
          access: { scope: "sessions:read", owner: "query-user" },
          tags: TAG,
          summary: "List schedules",
          description:
            "All that the caller may see, unless the query names an app or a user. A page may be short, or empty, although nextPageToken leads to more.",
          errors: ["SCHEDULES_OFF", "INVALID_CURSOR"],
          querystring: ListQuery,
          response: answers({ 200: SchedulePage }),
        }),
      },
      async ({ query: { pageSize = DEFAULT_PAGE, ...query } }) => {
        const { schedules, nextPageToken } = await desk.store.list({ ...query, pageSize });
        return { schedules: schedules.map(toWireSchedule), nextPageToken };
      },
    );

    app.get(
      "/v1/schedules/:scheduleId",
      {
        schema: described({
          operationId: "readSchedule",
          answer: scheduleBytes,
          access: READ,
          tags: TAG,
          summary: "Read a schedule with what became of its last ticks",
          errors: OF_ONE,
          params: ScheduleParams,
          response: answers({ 200: ScheduleSchema }),
        }),
      },
      async ({ params }) => toWireSchedule(await desk.find(params.scheduleId)),
    );

    app.patch(
      "/v1/schedules/:scheduleId",
      {
        schema: described({
          operationId: "updateSchedule",
          answer: scheduleBytes,
          access: WRITE,
          tags: TAG,
          summary: "Change a schedule",
          description: "Absent members stay as they are. A changed time counts from now on.",
          errors: [...OF_ONE, "SCHEDULE_OF_APP", ...SETTING_ERRORS],
          params: ScheduleParams,
          body: ScheduleChange,
          example: { cron: "0 8 * * MON-FRI" },
          response: answers({ 200: ScheduleSchema }),
        }),
      },
      async (request) => {
        const { scheduleId } = request.params;
        return toWireSchedule(await desk.change(scheduleId, request.body, ownerOf(request)));
      },
    );

    app.delete(
      "/v1/schedules/:scheduleId",
      {
        schema: described({
          operationId: "deleteSchedule",
          answer: "small",
          access: WRITE,
          tags: TAG,
          summary: "Delete a schedule; runs that it has started continue",
          errors: [...OF_ONE, "SCHEDULE_OF_APP"],
          params: ScheduleParams,
          response: answers({ 200: Type.Null() }),
        }),
      },
      async ({ params }, reply) => {
        await desk.delete(params.scheduleId);
        return reply.type(JSON_TYPE).send("null");
      },
    );

    for (const [action, enabled] of [
      ["pause", false],
      ["resume", true],
    ] as const)
      app.post(
        `/v1/schedules/:scheduleId/${action}`,
        {
          schema: described({
            operationId: `${action}Schedule`,
            answer: scheduleBytes,
            access: WRITE,
            tags: TAG,
            summary: enabled
              ? "Resume a schedule: the next tick is one to come"
              : "Pause a schedule: its ticks are left out until it is resumed",
            errors: OF_ONE,
            params: ScheduleParams,
            response: answers({ 200: ScheduleSchema }),
          }),
        },
        async ({ params }) => toWireSchedule(await desk.enable(params.scheduleId, enabled)),
      );

    app.post(
      "/v1/schedules/:scheduleId/trigger",
      {
        schema: described({
          operationId: "triggerSchedule",
          answer: recordBytes,
          access: WRITE,
          tags: TAG,
          summary: "Start a run of the schedule now, whatever its times",
          errors: [...OF_ONE, ...START_ERRORS],
          headers: CreateHeaders,
          params: ScheduleParams,
          response: answers({ 202: RunSchema }),
          answerExamples: { "application/json": RUN_RECORD_EXAMPLE },
        }),
      },
      async (request, reply) => {
        const key = readIdempotencyKey(request.headers) ?? deps.ids.next();
        const { keyId } = callerOf(request);
        const run = await desk.trigger(request.params.scheduleId, digest(key).slice(0, 24), keyId);
        return reply.code(202).send(toWireRun(run));
      },
    );
  };
}

/** The limits of the caller's credentials. Each tick is held to them. */
function ownerOf(request: Pick<FastifyRequest, "raw">): ScheduleOwner {
  const { keyId, groups, apps } = callerOf(request);
  return { keyId, groups, apps };
}
