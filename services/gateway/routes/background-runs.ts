import { RunNotFoundError } from "#kit/errors/session-errors.ts";
import { present } from "#kit/platform/members.ts";
import { type Static, Type } from "#kit/schema/shape.ts";
import type { ListRunsRequest } from "#kit/sessions/run-journal.ts";
import { isTerminal, RUN_STATUSES, type RunRecord } from "#kit/sessions/run-record.ts";
import { untilEnded } from "#ports/runs/until-ended.ts";
import type { RouteDeps } from "../deps.ts";
import { recordBytes } from "../http/answer-bound.ts";
import { InvalidRequestError } from "../http/errors.ts";
import { callerOf } from "../identity/authenticator.ts";
import { described } from "../openapi/route-description.ts";
import { RUN_EXAMPLE, RUN_RECORD_EXAMPLE, START_ERRORS, STREAM_FRAMES } from "../openapi/run-examples.ts";
import { fileBodyLimit } from "../requests/body-budget.ts";
import { CreateHeaders, readIdempotencyKey } from "../requests/idempotency.ts";
import type { TypedRoutes } from "../requests/typed-routes.ts";
import { answers, JsonMap } from "../requests/wire-schemas.ts";
import { costOfUsage, pricesOfUsage } from "../runs/cost-of-usage.ts";
import { findRuns, isSearch, type RunSearch } from "../runs/find-runs.ts";
import { MAX_SEARCHED_RUNS, SearchedSchema } from "../runs/pages-of-runs.ts";
import { requeueRun } from "../runs/requeue-run.ts";
import { AgentRunRequest, toStartRunRequest } from "../runs/run-request.ts";
import { startRun } from "../runs/start-run.ts";
import { readWaitingCalls } from "../runs/waiting-calls.ts";
import { MAX_LISTED_MESSAGE_LENGTH, RunSchema, toWireRun } from "../runs/wire-run.ts";
import { END_POSITION } from "../streams/frames.ts";
import { checkRunCursor } from "../streams/relay-run.ts";
import { streamRun } from "../streams/stream-run.ts";

const RunParams = Type.Object({ runId: Type.String() });

const WaitingCallsSchema = Type.Object({
  calls: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      args: JsonMap,
      eventId: Type.String({ description: "The event that made the call." }),
      author: Type.String({ description: "The agent that waits." }),
      interimResponse: Type.Optional(
        Type.JsonObject({ description: "What the tool has answered so far. Absent for a question to the user." }),
      ),
    }),
  ),
});

const MAX_FIND_LENGTH = 200;
/** A page ends with the run by whose request it has this size. */
const PAGE_CHARACTERS = 256 * 1024;

const ListQuery = Type.Object({
  appName: Type.Optional(Type.String()),
  userId: Type.Optional(Type.String()),
  sessionId: Type.Optional(Type.String({ description: "With appName and userId: the runs of one session." })),
  status: Type.Optional(
    Type.Enum([...RUN_STATUSES], {
      description: "`awaiting_input` finds the runs that still wait, and not those that a later run has answered.",
    }),
  ),
  find: Type.Optional(
    Type.String({
      description: `At most ${MAX_FIND_LENGTH} characters: part of an id, of the user's message or of the error, in any case. The whole id of a run finds it directly.`,
    }),
  ),
  createdAfter: Type.Optional(
    Type.Integer({ minimum: 0, description: "Milliseconds since the epoch: runs recorded then or later." }),
  ),
  createdBefore: Type.Optional(
    Type.Integer({ minimum: 0, description: "Milliseconds since the epoch: runs recorded before." }),
  ),
  minTokens: Type.Optional(Type.Integer({ minimum: 0, description: "Runs that have used as many tokens, or more." })),
  minCostUsd: Type.Optional(
    Type.Number({ minimum: 0, description: "Runs that have cost as much, or more; see `costUsd` of a run." }),
  ),
  pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
  pageToken: Type.Optional(Type.String()),
});

const RunPage = Type.Object({
  runs: Type.Array(RunSchema),
  nextPageToken: Type.Optional(Type.String({ description: "Absent on the last page." })),
  searched: Type.Optional(SearchedSchema),
});

/** Where the other operations of a run find its id. */
const RUN_ID = { runId: "/runId" } as const;

const StreamQuery = Type.Object({
  after: Type.Optional(Type.String({ description: "The `id` of the last frame that was seen." })),
});
const CancelQuery = Type.Object({
  wait: Type.Optional(Type.Boolean({ description: "Answer when the run has ended, at the latest after 30 seconds." })),
});
const StreamHeaders = Type.Object({ "last-event-id": Type.Optional(Type.String()) });

/** Runs that outlive their request: they are started, read, read again from any position, and cancelled. */
export function backgroundRunRoutes(deps: RouteDeps): TypedRoutes {
  const { runnerService, runJournal, config } = deps;

  const find = async (runId: string): Promise<RunRecord> => {
    const run = await runJournal.get(runId);
    if (run === undefined) throw new RunNotFoundError(runId);
    return run;
  };
  const costOf = ({ usage }: RunRecord): number | undefined => costOfUsage(usage, deps.quotas?.rules.prices);

  return async (app) => {
    app.post(
      "/v1/runs",
      {
        bodyLimit: fileBodyLimit(config),
        schema: described({
          operationId: "startRun",
          answer: "small",
          access: { scope: "runs:write", owner: "body-user" },
          tags: ["runs"],
          summary: "Start a run in the background",
          description:
            "Answers immediately with the run's record. Read its events from its stream, or from the session.",
          errors: START_ERRORS,
          body: AgentRunRequest,
          example: { ...RUN_EXAMPLE, streaming: true },
          headers: CreateHeaders,
          response: answers({ 202: RunSchema }),
          answerExamples: { "application/json": RUN_RECORD_EXAMPLE },
          links: {
            readRun: RUN_ID,
            readWaitingCalls: RUN_ID,
            readInboxEntry: RUN_ID,
            answerInbox: RUN_ID,
            claimInboxEntry: RUN_ID,
            releaseInboxEntry: RUN_ID,
            cancelRun: RUN_ID,
            requeueRun: RUN_ID,
            streamRun: RUN_ID,
          },
        }),
      },
      async (request, reply) => {
        const { body, headers } = request;
        const { keyId } = callerOf(request);
        const run = await startRun(
          deps,
          toStartRunRequest({ body, idempotencyKey: readIdempotencyKey(headers), keyId }, config),
        );
        return reply
          .code(202)
          .header("location", deps.publicPath + locationOf(run))
          .send(toWireRun(run));
      },
    );

    app.get(
      "/v1/runs",
      {
        schema: described({
          operationId: "listRuns",
          answer: (config) => 3 * PAGE_CHARACTERS + recordBytes(config),
          access: { scope: "sessions:read", owner: "query-user" },
          tags: ["runs"],
          summary: "List runs, newest first",
          description: `Those of all users and apps, unless the query names some. A page has fewer runs than were asked for if their messages are long. With \`find\`, a time, tokens or money one request searches ${MAX_SEARCHED_RUNS} runs at most: its page may be short or empty although nextPageToken leads to more, and \`searched\` says how far it has looked.`,
          errors: ["INVALID_CURSOR"],
          querystring: ListQuery,
          response: answers({ 200: RunPage }),
          answerExamples: { "application/json": { runs: [RUN_RECORD_EXAMPLE] } },
        }),
      },
      async ({ query }) => {
        const request = { ...toListRequest(query), ...toSearch(query) };
        const answer = isSearch(request)
          ? await findRuns(runJournal, { ...request, costOf })
          : await runJournal.list(toListRequest(query));
        const maxMessageLength = MAX_LISTED_MESSAGE_LENGTH;
        const runs = answer.runs.map((run) => toWireRun(run, { maxMessageLength, costUsd: costOf(run) }));
        return present({ ...answer, runs });
      },
    );

    app.get(
      "/v1/runs/:runId",
      {
        schema: described({
          operationId: "readRun",
          answer: recordBytes,
          access: { scope: "sessions:read", owner: "run-id" },
          tags: ["runs"],
          summary: "Read a run's record",
          errors: ["RUN_NOT_FOUND"],
          params: RunParams,
          response: answers({ 200: RunSchema }),
          answerExamples: { "application/json": RUN_RECORD_EXAMPLE },
        }),
      },
      async ({ params }) => {
        const run = await find(params.runId);
        return toWireRun(run, {
          costUsd: costOf(run),
          prices: pricesOfUsage(run.usage, deps.quotas?.rules.prices),
        });
      },
    );

    app.get(
      "/v1/runs/:runId/calls",
      {
        schema: described({
          operationId: "readWaitingCalls",
          answer: recordBytes,
          access: { scope: "sessions:read", owner: "run-id" },
          tags: ["runs"],
          errors: ["RUN_NOT_FOUND"],
          summary: "Read the calls that a run with status awaiting_input waits for",
          description:
            "Each is answered by a functionResponse of its id and name in the newMessage of a new run of the same session. A long-running call whose tool has answered already waits for its final response. A call of `adk_request_confirmation` takes `{confirmed, payload?}`. A run that does not wait has none.",
          params: RunParams,
          response: answers({ 200: WaitingCallsSchema }),
        }),
      },
      async ({ params }) => ({ calls: await readWaitingCalls(deps.sessionService, await find(params.runId)) }),
    );

    app.post(
      "/v1/runs/:runId/cancel",
      {
        schema: described({
          operationId: "cancelRun",
          answer: recordBytes,
          access: { scope: "runs:write", owner: "run-id" },
          tags: ["runs"],
          summary: "Cancel a run",
          description:
            "A run that has ended stays as it is. Otherwise its status becomes `cancelled` when its runner stops.",
          errors: ["RUN_NOT_FOUND"],
          params: RunParams,
          querystring: CancelQuery,
          response: answers({ 200: RunSchema }),
          answerExamples: { "application/json": RUN_RECORD_EXAMPLE },
        }),
      },
      async ({ params, query }) => {
        const run = await runnerService.cancelRun(params.runId);
        return toWireRun(query.wait === true ? await untilEnded(deps, run) : run);
      },
    );

    app.post(
      "/v1/runs/:runId/requeue",
      {
        schema: described({
          operationId: "requeueRun",
          answer: recordBytes,
          access: { scope: "runs:write", owner: "run-id" },
          tags: ["runs"],
          summary: "Start the request of a run again, as a new run; one that has not ended is cancelled first",
          errors: ["RUN_NOT_FOUND", "SESSION_NOT_FOUND", "SESSION_BUSY", "IDEMPOTENCY_KEY_REUSED"],
          params: RunParams,
          headers: CreateHeaders,
          response: answers({ 202: RunSchema }),
          answerExamples: { "application/json": RUN_RECORD_EXAMPLE },
        }),
      },
      async (request, reply) => {
        const { params, headers } = request;
        const idempotencyKey = readIdempotencyKey(headers);
        const { keyId } = callerOf(request);
        const run = await requeueRun(deps, await find(params.runId), { idempotencyKey, keyId });
        return reply
          .code(202)
          .header("location", deps.publicPath + locationOf(run))
          .send(toWireRun(run));
      },
    );

    app.get(
      "/v1/runs/:runId/stream",
      {
        exposeHeadRoute: false,
        schema: described({
          operationId: "streamRun",
          answer: "in-parts",
          access: { scope: "sessions:read", owner: "run-id" },
          tags: ["runs"],
          summary: "Read a run's events, from the beginning or after a cursor",
          description:
            "Server-sent events. A frame without `event` is one event of the run; its `id` is the position after it. `attempt` names the number of the runner's attempt, `resync` asks the reader to read the session again, `end` has the run's status and ends the stream; a reader that reconnects after it gets 204, which an `EventSource` takes as the end.",
          errors: ["RUN_NOT_FOUND", "INVALID_CURSOR", "TOO_MANY_STREAMS"],
          params: RunParams,
          querystring: StreamQuery,
          headers: StreamHeaders,
          response: answers({ 200: Type.String(), 204: Type.Null({ description: "The reader has the end." }) }),
          answerExamples: { "text/event-stream": STREAM_FRAMES },
        }),
      },
      async (request, reply) => {
        const run = await find(request.params.runId);
        // A reader that reconnects sends the header, which is newer than the cursor in its address.
        const after = request.headers["last-event-id"] || request.query.after || undefined;
        if (after === END_POSITION && isTerminal(run.status)) return reply.code(204).send();
        // Refused before the stream begins, so that the refusal is an HTTP status.
        if (after !== undefined) checkRunCursor(after, run);
        await deps.streamSlots.take(run.session, reply);
        await streamRun(deps, reply, { run, form: "named", after });
      },
    );
  };
}

function locationOf({ runId }: RunRecord): string {
  return `/v1/runs/${encodeURIComponent(runId)}`;
}

function readFind(given: string | undefined): string | undefined {
  const find = given?.trim();
  if (find === undefined || find.length <= MAX_FIND_LENGTH) return find;
  const msg = `String should have at most ${MAX_FIND_LENGTH} characters`;
  throw new InvalidRequestError([{ type: "string_too_long", loc: ["query", "find"], msg }]);
}

function toSearch(query: Static<typeof ListQuery>): RunSearch {
  const { find, createdAfter, createdBefore, minTokens, minCostUsd } = query;
  return { find: readFind(find), createdAfter, createdBefore, minTokens, minCostUsd };
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
    maxCharacters: PAGE_CHARACTERS,
    statuses: status === undefined ? undefined : [status],
    pageSize,
    pageToken,
  };
  if (sessionId === undefined) return { ...page, appName, userId };
  if (appName !== undefined && userId !== undefined && sessionId !== undefined) {
    return { ...page, session: { appName, userId, id: sessionId } };
  }
  throw new InvalidRequestError([
    { type: "missing", loc: ["query"], msg: "A session needs appName, userId and sessionId" },
  ]);
}
