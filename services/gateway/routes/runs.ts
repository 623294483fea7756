import type { FastifyReply, FastifyRequest } from "fastify";
import type { OnDisconnect } from "#kit/core/app.ts";
import { type Static, Type } from "#kit/schema/shape.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import { inThisCallScope } from "#shared/security/call-scope.ts";
import type { RouteDeps } from "../deps.ts";
import { errorAround, JSON_TYPE, sendError } from "../http/errors.ts";
import { callerOf } from "../identity/authenticator.ts";
import { described } from "../openapi/route-description.ts";
import { EVENTS_EXAMPLE, RUN_EXAMPLE, RUN_FRAMES, START_ERRORS } from "../openapi/run-examples.ts";
import { fileBodyLimit, releaseBody } from "../requests/body-budget.ts";
import { CreateHeaders, readIdempotencyKey } from "../requests/idempotency.ts";
import type { TypedRoutes } from "../requests/typed-routes.ts";
import { answers, EventSchema } from "../requests/wire-schemas.ts";
import { AnsweredEvents } from "../runs/answered-events.ts";
import { leaveRun } from "../runs/leave-run.ts";
import { AgentRunRequest, RunQuery, RunStreamQuery, toStartRunRequest } from "../runs/run-request.ts";
import { startFollowedRun } from "../runs/start-run.ts";
import { answersOf } from "../streams/answers-of.ts";
import { relayRun, runFailure } from "../streams/relay-run.ts";
import { sendPieces } from "../streams/send-pieces.ts";
import { streamRun } from "../streams/stream-run.ts";

const FAILURE = "The answer to a failed run is an error whose `events` has those before the failure.";

const RUN_SCHEMA = {
  tags: ["runs"],
  errors: START_ERRORS,
  body: AgentRunRequest,
  querystring: RunQuery,
  headers: CreateHeaders,
  response: answers({ 200: Type.Array(EventSchema) }),
} as const;

const RUN = described({
  ...RUN_SCHEMA,
  operationId: "runAgent",
  answer: "in-parts",
  access: { scope: "runs:write", owner: "body-user" },
  summary: "Run an agent; the answer has all its events",
  description: `Answers when the run has ended, with its complete events. ${FAILURE}`,
  example: { ...RUN_EXAMPLE },
  answerExamples: { "application/json": EVENTS_EXAMPLE },
  links: { readEventTrace: { eventId: "/0/id" }, drawEvent: { eventId: "/0/id" } },
});

const RUN_STREAMED = described({
  ...RUN_SCHEMA,
  querystring: RunStreamQuery,
  operationId: "runAgentStreamed",
  answer: "in-parts",
  access: { scope: "runs:write", owner: "body-user" },
  summary: "Run an agent and stream its events",
  description: `Server-sent events. Each frame is one event as JSON. The header \`X-Run-Id\` has the run's id, with which \`GET /v1/runs/{runId}/stream\` reads the run again; with \`event_ids=true\` each frame has the position from which that stream resumes. With \`streaming\`, text arrives in events with \`partial: true\` first, and then once more as a whole. Before a late frame its \`data: \` comes early, with spaces that keep the connection open. The stream ends with the run; a failed run ends with a frame that has \`error\`.`,
  example: { ...RUN_EXAMPLE, streaming: true },
  answerExamples: { "text/event-stream": RUN_FRAMES },
});

interface RunCall {
  readonly run: RunRecord;
  readonly onDisconnect: OnDisconnect | undefined;
}

/**
 * Runs that are answered in the request itself. A client that leaves does not end its run unless the policy demands it.
 */
export function runRoutes(deps: RouteDeps): TypedRoutes {
  const { config } = deps;
  const bodyLimit = fileBodyLimit(config);

  return async (app) => {
    const start = async (request: RunHttpRequest): Promise<RunCall> => {
      const { body, query, headers } = request;
      const onDisconnect = body.onDisconnect ?? query.on_disconnect;
      const run = await startFollowedRun(
        deps,
        toStartRunRequest(
          { body, idempotencyKey: readIdempotencyKey(headers), keyId: callerOf(request).keyId },
          config,
        ),
      );
      releaseBody(request);
      return { run, onDisconnect };
    };

    app.post("/run", { bodyLimit, schema: RUN }, async (request, reply) => {
      return answerRun(deps, reply, await start(request));
    });

    for (const path of ["/run_sse", "/run-sse"]) {
      app.post(path, { bodyLimit, schema: RUN_STREAMED }, async (request, reply) => {
        const { appName, userId } = request.body;
        // Checked before the run is started, as otherwise its events would have no reader.
        await deps.streamSlots.take({ appName: appName || config.DEFAULT_APP_NAME, userId }, reply);
        const { run, onDisconnect } = await start(request);
        await streamRun(deps, reply, {
          run,
          form: request.query.event_ids === true ? "with-ids" : "plain",
          onGone: inThisCallScope(() => leaveRun(deps, run, onDisconnect)),
        });
      });
    }
  };
}

interface RunHttpRequest {
  readonly raw: FastifyRequest["raw"];
  body: AgentRunRequest;
  readonly query: Static<typeof RunQuery>;
  readonly headers: Static<typeof CreateHeaders>;
}

/** The run's complete events as one JSON array, their bytes as the runner wrote them. */
async function answerRun(deps: RouteDeps, reply: FastifyReply, call: RunCall): Promise<FastifyReply> {
  const { run } = call;
  const controller = new AbortController();
  const leaveInScope = inThisCallScope(() => leaveRun(deps, run, call.onDisconnect));
  const leave = (): void => {
    if (reply.raw.writableFinished) return;
    controller.abort();
    leaveInScope();
  };
  reply.raw.once("close", leave);
  // The client may have left while the run was being started.
  if (reply.raw.destroyed) leave();
  const sink = new AnsweredEvents();
  const account = answersOf(deps, reply.request);
  // The run has an effect, so its answer is not refused.
  account.begin(controller.signal);
  const end = await relayRun(deps, { run, controller, sink, answers: account });
  if (end === undefined) return reply.hijack();
  const failure = runFailure(end);
  const { kept } = sink;
  if (kept === undefined) {
    const around = failure === undefined ? (["", ""] as const) : errorAround(reply, failure, "events");
    return sendPieces(deps, reply, sink.source(deps, account, run, around));
  }
  // Parsing a few events after a failure keeps the error body one serialisation.
  if (failure !== undefined)
    return sendError(reply, failure, { extra: { events: kept.map((json) => JSON.parse(json) as unknown) } });
  return reply.type(JSON_TYPE).send(`[${kept.join(",")}]`);
}
