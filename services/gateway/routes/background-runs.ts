import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { Static } from "typebox";
import { RunNotFoundError } from "#kit/errors/session-errors.ts";
import type { ListRunsRequest } from "#kit/sessions/run-journal.ts";
import { RUN_STATUSES, type RunRecord } from "#kit/sessions/run-record.ts";
import { Type } from "#shared/type.ts";
import { normaliseRequest } from "../casing.ts";
import type { GatewayDeps } from "../deps.ts";
import { InvalidRequestError } from "../errors.ts";
import { CreateHeaders, readIdempotencyKey } from "../idempotency.ts";
import { checkRunCursor } from "../relay-run.ts";
import { requeueRun } from "../requeue-run.ts";
import { RunBody, readStreamingText, toStartRunRequest } from "../run-request.ts";
import { startRun } from "../start-run.ts";
import { streamRun } from "../stream-run.ts";
import { untilEnded } from "../until-ended.ts";
import { answers, ErrorSchema } from "../wire-schemas.ts";

const RunParams = Type.Object({ runId: Type.String() });

const StatusSchema = Type.Enum([...RUN_STATUSES]);

const RunSchema = Type.Object({
  runId: Type.String(),
  appName: Type.String(),
  userId: Type.String(),
  sessionId: Type.String(),
  invocationId: Type.String(),
  status: StatusSchema,
  policy: Type.String(),
  attempts: Type.Integer({ description: "How many runners have taken it up." }),
  epoch: Type.Integer({ description: "Grows with each runner that takes up a run of the session." }),
  holder: Type.Optional(Type.String({ description: "The runner that has the session's lease." })),
  cancelRequested: Type.Boolean(),
  createdTime: Type.Integer({ description: "Milliseconds since the epoch, as all times of a run." }),
  startedTime: Type.Optional(Type.Integer()),
  finishedTime: Type.Optional(Type.Integer()),
  deadline: Type.Optional(Type.Integer()),
  usage: Type.Optional(Type.Unknown()),
  error: Type.Optional(Type.Object({ code: Type.String(), reason: Type.String(), message: Type.String() })),
});

const ListQuery = Type.Object({
  appName: Type.Optional(Type.String()),
  userId: Type.Optional(Type.String()),
  sessionId: Type.Optional(Type.String({ description: "With appName and userId: the runs of one session." })),
  status: Type.Optional(StatusSchema),
  pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
  pageToken: Type.Optional(Type.String()),
});

const StreamQuery = Type.Object({
  after: Type.Optional(Type.String({ description: "The `id` of the last frame that was seen." })),
});
const CancelQuery = Type.Object({
  wait: Type.Optional(Type.Boolean({ description: "Answer when the run has ended, or after half a minute." })),
});
const StreamHeaders = Type.Object({ "last-event-id": Type.Optional(Type.String()) });

/** Runs that outlive the request: started, looked at, read again from any point, and cancelled. */
export function backgroundRunRoutes(deps: GatewayDeps): FastifyPluginAsyncTypebox {
  const { runnerService, runJournal, config } = deps;

  const find = async (runId: string): Promise<RunRecord> => {
    const run = await runJournal.get(runId);
    if (run === undefined) throw new RunNotFoundError(runId);
    return run;
  };

  return async (app) => {
    app.post(
      "/v1/runs",
      {
        preValidation: (request, _reply, done) => {
          normaliseRequest(request.body);
          readStreamingText(request.body);
          done();
        },
        schema: {
          tags: ["runs"],
          summary: "Start a run in the background",
          body: RunBody,
          headers: CreateHeaders,
          response: answers({ 202: RunSchema, 404: ErrorSchema, 409: ErrorSchema }),
        },
      },
      async ({ body, headers }, reply) => {
        const run = await startRun(
          deps,
          toStartRunRequest({ body, idempotencyKey: readIdempotencyKey(headers) }, config),
        );
        return reply.code(202).header("location", locationOf(run)).send(toWireRun(run));
      },
    );

    app.get(
      "/v1/runs",
      { schema: { tags: ["runs"], summary: "List runs, newest first", querystring: ListQuery } },
      async ({ query }) => {
        const { runs, nextPageToken } = await runJournal.list(toListRequest(query));
        return { runs: runs.map(toWireRun), ...(nextPageToken !== undefined && { nextPageToken }) };
      },
    );

    app.get(
      "/v1/runs/:runId",
      {
        schema: {
          tags: ["runs"],
          summary: "Read a run's record",
          params: RunParams,
          response: answers({ 200: RunSchema, 404: ErrorSchema }),
        },
      },
      async ({ params }) => toWireRun(await find(params.runId)),
    );

    app.post(
      "/v1/runs/:runId/cancel",
      {
        schema: {
          tags: ["runs"],
          summary: "Ask for a run's end",
          params: RunParams,
          querystring: CancelQuery,
          response: answers({ 200: RunSchema, 404: ErrorSchema }),
        },
      },
      async ({ params, query }) => {
        const run = await runnerService.cancelRun(params.runId);
        return toWireRun(query.wait === true ? await untilEnded(deps, run) : run);
      },
    );

    app.post(
      "/v1/runs/:runId/requeue",
      {
        schema: {
          tags: ["runs"],
          summary: "Start the request of a run again, as a new run; one that has not ended is cancelled first",
          params: RunParams,
          headers: CreateHeaders,
          response: answers({ 202: RunSchema, 404: ErrorSchema, 409: ErrorSchema }),
        },
      },
      async ({ params, headers }, reply) => {
        const idempotencyKey = readIdempotencyKey(headers);
        const run = await requeueRun(deps, await find(params.runId), idempotencyKey);
        return reply.code(202).header("location", locationOf(run)).send(toWireRun(run));
      },
    );

    app.get(
      "/v1/runs/:runId/stream",
      {
        exposeHeadRoute: false,
        schema: {
          tags: ["runs"],
          summary: "Read a run's events, from the beginning or after a cursor",
          params: RunParams,
          querystring: StreamQuery,
          headers: StreamHeaders,
        },
      },
      async (request, reply) => {
        const run = await find(request.params.runId);
        // The header comes from a reader that reconnects, and is newer than what its address says.
        const after = request.headers["last-event-id"] || request.query.after || undefined;
        // Refused while it can still be an HTTP status.
        if (after !== undefined) checkRunCursor(after, run);
        await streamRun(deps, reply, { run, named: true, ...(after !== undefined && { after }) });
      },
    );
  };
}

function locationOf({ runId }: RunRecord): string {
  return `/v1/runs/${encodeURIComponent(runId)}`;
}

/** The record as clients see it, without the request, whose message is in the session. */
export function toWireRun(run: RunRecord): Static<typeof RunSchema> {
  const { runId, session, invocationId, status, policy, attempts, epoch, holder, cancelRequested, createdTime } = run;
  const { startedTime, finishedTime, deadline, usage, error } = run;
  return {
    ...{ runId, appName: session.appName, userId: session.userId, sessionId: session.id, invocationId },
    ...{ status, policy, attempts, epoch, cancelRequested, createdTime },
    ...(holder !== undefined && { holder }),
    ...(startedTime !== undefined && { startedTime }),
    ...(finishedTime !== undefined && { finishedTime }),
    ...(deadline !== undefined && { deadline }),
    ...(usage !== undefined && { usage }),
    ...(error !== undefined && { error: { code: error.code, reason: error.reason, message: error.message } }),
  };
}

function toListRequest({
  appName,
  userId,
  sessionId,
  status,
  pageSize,
  pageToken,
}: Static<typeof ListQuery>): ListRunsRequest {
  const page = {
    ...(status !== undefined && { statuses: [status] }),
    ...(pageSize !== undefined && { pageSize }),
    ...(pageToken !== undefined && { pageToken }),
  };
  if (sessionId === undefined && userId === undefined) return { ...page, ...(appName !== undefined && { appName }) };
  if (appName !== undefined && userId !== undefined && sessionId !== undefined) {
    return { ...page, session: { appName, userId, id: sessionId } };
  }
  throw new InvalidRequestError([
    { type: "missing", loc: ["query"], msg: "A session needs appName, userId and sessionId" },
  ]);
}
