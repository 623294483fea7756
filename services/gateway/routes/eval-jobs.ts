import { present } from "#kit/platform/members.ts";
import { readJson } from "#kit/schema/read-json.ts";
import { type Static, Type } from "#kit/schema/shape.ts";
import { EVAL_JOB_STATUSES, type EvalJob, isEnded } from "#ports/evaluation-jobs/eval-job.ts";
import { evalJobNotFound } from "#ports/evaluation-jobs/eval-job-rules.ts";
import type { ListEvalJobsRequest } from "#ports/evaluation-jobs/eval-job-store.ts";
import { MAX_JOBS_PAGE_CHARACTERS } from "#ports/evaluation-jobs/tabular-eval-job-store.ts";
import type { RouteDeps } from "../deps.ts";
import { awaitEnd } from "../evaluations/await-evaluation.ts";
import { assertMayStartRuns } from "../evaluations/eval-rules.ts";
import { parseRunEvalRequest } from "../evaluations/run-eval-request.ts";
import {
  EvaluationCaseSchema,
  EvaluationSchema,
  toWireCase,
  toWireEvaluation,
} from "../evaluations/wire-evaluation.ts";
import { recordBytes } from "../http/answer-bound.ts";
import { InvalidRequestError } from "../http/errors.ts";
import { callerOf } from "../identity/authenticator.ts";
import { described } from "../openapi/route-description.ts";
import { CreateHeaders, readIdempotencyKey } from "../requests/idempotency.ts";
import type { TypedRoutes } from "../requests/typed-routes.ts";
import { answers, JsonMap } from "../requests/wire-schemas.ts";
import { streamEvaluation } from "../streams/stream-evaluation.ts";

const JobParams = Type.Object({ jobId: Type.String() });
const Names = (description: string) => Type.Optional(Type.Array(Type.String(), { description }));

const StartBody = Type.Object({
  appName: Type.String(),
  evalSetId: Type.String(),
  evalIds: Names("The cases to run; all of the set if absent or empty."),
  evalMetrics: Type.Optional(
    Type.Array(Type.Json(), {
      description: "Names of metrics, or objects with `metricName`, `threshold` and `criterion`.",
    }),
  ),
  userSimulatorConfig: Type.Optional(
    Type.Json({
      description: "Settings of the simulated user, for cases with a scenario, as in the config of evaluations.",
    }),
  ),
});

const ListQuery = Type.Object({
  appName: Type.Optional(Type.String()),
  evalSetId: Type.Optional(Type.String()),
  status: Type.Optional(Type.Enum([...EVAL_JOB_STATUSES])),
  pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
  pageToken: Type.Optional(Type.String()),
});

const CasesQuery = Type.Object({
  afterIndex: Type.Optional(Type.Integer({ minimum: 0, description: "The index of the last case that was read." })),
  pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
});

const StreamQuery = Type.Object({
  after: Type.Optional(Type.Integer({ minimum: 0, description: "The `id` of the last frame that was seen." })),
});
const StreamHeaders = Type.Object({ "last-event-id": Type.Optional(Type.String()) });
const CancelQuery = Type.Object({
  wait: Type.Optional(Type.Boolean({ description: "Answer when it has ended, at the latest after 30 seconds." })),
});

const EvaluationPage = Type.Object({
  evaluations: Type.Array(EvaluationSchema),
  nextPageToken: Type.Optional(Type.String({ description: "Absent on the last page." })),
});
const CasePage = Type.Object({ cases: Type.Array(EvaluationCaseSchema) });
const ResultPage = Type.Object({
  results: Type.Array(Type.Object({ index: Type.Integer(), result: JsonMap })),
});

const JOB_ID = { jobId: "/jobId" } as const;
const BY_ID = { tags: ["evaluation"], params: JobParams } as const;
const MAX_CANCEL_WAIT_MS = 30_000;

const JOB_EXAMPLE = {
  jobId: "01994f3e-8f1a-7c3e-b1d4-4a1f6f0c9d2e",
  appName: "weather",
  evalSetId: "smoke",
  status: "running",
  counts: { total: 20, running: 4, done: 7, passed: 6, failed: 1 },
  evalMetrics: [{ metricName: "response_match_score", threshold: 0.8 }],
  createdTime: 1787140000000,
  startedTime: 1787140000020,
  cancelRequested: false,
  attempts: 1,
  sequence: 23,
};

/** Evaluations in the background: they are started, read, followed from any position, and cancelled. */
export function evalJobRoutes(deps: RouteDeps): TypedRoutes {
  const { evalJobs } = deps;

  const find = async (jobId: string): Promise<EvalJob> => {
    const job = await evalJobs.get({ jobId });
    if (job === undefined) throw evalJobNotFound({ jobId });
    return job;
  };

  return async (app) => {
    app.post(
      "/v1/evals",
      {
        schema: described({
          operationId: "startEvaluation",
          answer: recordBytes,
          access: { scope: "evals", owner: "body-user" },
          tags: ["evaluation"],
          summary: "Start an evaluation in the background",
          description:
            "Answers immediately. Each case is run in a session of its own; the evaluation continues if processes are lost. Follow it by its stream. Needs the scope `runs:write` too.",
          headers: CreateHeaders,
          givenBody: StartBody,
          example: {
            appName: "weather",
            evalSetId: "greetings",
            evalMetrics: [{ metricName: "response_match_score", threshold: 0.8 }],
          },
          errors: [
            ...(["EVAL_SET_NOT_FOUND", "EVAL_CASE_NOT_FOUND", "APP_NOT_FOUND", "INVALID_FIELD"] as const),
            ...(["IDEMPOTENCY_KEY_REUSED", "QUOTA_EXCEEDED", "SCOPE_MISSING", "DATA_IN_DELETION"] as const),
          ],
          response: answers({ 202: EvaluationSchema }),
          answerExamples: { "application/json": JOB_EXAMPLE },
          links: {
            readEvaluation: JOB_ID,
            listEvaluationCases: JOB_ID,
            listEvaluationResults: JOB_ID,
            cancelEvaluation: JOB_ID,
            streamEvaluation: JOB_ID,
          },
        }),
      },
      async (request, reply) => {
        const { keyId, scopes } = callerOf(request);
        assertMayStartRuns(scopes);
        const { appName, evalSetId, ...asked } = readJson(StartBody, request.body ?? {}, "body");
        const idempotencyKey = readIdempotencyKey(request.headers);
        const set = { appName, evalSetId };
        const { startEvaluation } = await import("../evaluations/start-evaluation.ts");
        const job = await startEvaluation(deps, set, parseRunEvalRequest(asked), { keyId, idempotencyKey });
        return reply
          .code(202)
          .header("location", `${deps.publicPath}/v1/evals/${encodeURIComponent(job.jobId)}`)
          .send(toWireEvaluation(job));
      },
    );

    app.get(
      "/v1/evals",
      {
        schema: described({
          operationId: "listEvaluations",
          answer: (config) => 3 * MAX_JOBS_PAGE_CHARACTERS + recordBytes(config),
          access: { scope: "evals", owner: "app" },
          tags: ["evaluation"],
          summary: "List evaluations, newest first",
          description: "Those that the caller has started; callers who reach all users see all of their tenant.",
          errors: ["INVALID_IDENTIFIER"],
          querystring: ListQuery,
          response: answers({ 200: EvaluationPage }),
          answerExamples: { "application/json": { evaluations: [JOB_EXAMPLE] } },
        }),
      },
      async ({ query }) => {
        const { jobs, nextPageToken } = await evalJobs.list(toListRequest(query));
        return present({ evaluations: jobs.map(toWireEvaluation), nextPageToken });
      },
    );

    app.get(
      "/v1/evals/:jobId",
      {
        schema: described({
          ...BY_ID,
          operationId: "readEvaluation",
          answer: recordBytes,
          access: { scope: "evals", owner: "run-id" },
          summary: "Read an evaluation's progress",
          errors: ["EVAL_JOB_NOT_FOUND"],
          response: answers({ 200: EvaluationSchema }),
          answerExamples: { "application/json": JOB_EXAMPLE },
        }),
      },
      async ({ params }) => toWireEvaluation(await find(params.jobId)),
    );

    app.get(
      "/v1/evals/:jobId/cases",
      {
        schema: described({
          ...BY_ID,
          operationId: "listEvaluationCases",
          answer: () => 4 * MAX_JOBS_PAGE_CHARACTERS,
          access: { scope: "evals", owner: "run-id" },
          summary: "Read the states of an evaluation's cases",
          errors: ["EVAL_JOB_NOT_FOUND"],
          querystring: CasesQuery,
          response: answers({ 200: CasePage }),
        }),
      },
      async ({ params, query }) => ({ cases: (await evalJobs.listCases({ ...params, ...query })).map(toWireCase) }),
    );

    app.get(
      "/v1/evals/:jobId/results",
      {
        schema: described({
          ...BY_ID,
          operationId: "listEvaluationResults",
          answer: () => 4 * MAX_JOBS_PAGE_CHARACTERS,
          access: { scope: "evals", owner: "run-id" },
          summary: "Read the results of the cases that are done, in the order of the set",
          description:
            "Also of an evaluation that still runs, has failed or was cancelled. A page of large results has fewer of them; the page after the last is empty.",
          errors: ["EVAL_JOB_NOT_FOUND"],
          querystring: CasesQuery,
          response: answers({ 200: ResultPage }),
        }),
      },
      async ({ params, query }) => {
        const results = await evalJobs.listResults({ ...params, ...query });
        return { results: results.map(({ index, result }) => ({ index, result: { ...result } })) };
      },
    );

    app.post(
      "/v1/evals/:jobId/cancel",
      {
        schema: described({
          ...BY_ID,
          operationId: "cancelEvaluation",
          answer: recordBytes,
          access: { scope: "evals", owner: "run-id" },
          summary: "Cancel an evaluation",
          description:
            "One that has ended stays as it is. Otherwise its status becomes `cancelled` when its worker stops, and its runs are cancelled.",
          errors: ["EVAL_JOB_NOT_FOUND"],
          querystring: CancelQuery,
          response: answers({ 200: EvaluationSchema }),
          answerExamples: { "application/json": { ...JOB_EXAMPLE, status: "cancelled", cancelRequested: true } },
        }),
      },
      async ({ params, query }) => {
        const job = await evalJobs.cancel(params);
        return toWireEvaluation(
          query.wait === true ? await awaitEnd(deps, job, AbortSignal.timeout(MAX_CANCEL_WAIT_MS)) : job,
        );
      },
    );

    app.get(
      "/v1/evals/:jobId/stream",
      {
        exposeHeadRoute: false,
        schema: described({
          ...BY_ID,
          operationId: "streamEvaluation",
          answer: "in-parts",
          access: { scope: "evals", owner: "run-id" },
          summary: "Follow an evaluation's progress, from the beginning or after a frame",
          description:
            "Server-sent events. A frame `case` has the state of a case that has changed, a frame `job` the evaluation; its `id` is the position from which the stream continues. The stream ends after the `job` of an evaluation that has ended; a reader that reconnects after it gets 204, which an `EventSource` takes as the end.",
          errors: ["EVAL_JOB_NOT_FOUND", "INVALID_FIELD", "TOO_MANY_STREAMS"],
          querystring: StreamQuery,
          headers: StreamHeaders,
          response: answers({ 200: Type.String(), 204: Type.Null({ description: "The reader has the end." }) }),
          answerExamples: {
            "text/event-stream": `data: ${JSON.stringify(JOB_EXAMPLE)}\nevent: job\nid: 23\n\n`,
          },
        }),
      },
      async (request, reply) => {
        const job = await find(request.params.jobId);
        // A reader that reconnects sends the header, which is newer than the position in its address.
        const afterSequence = positionOf(request.headers["last-event-id"]) ?? request.query.after ?? 0;
        if (isEnded(job) && afterSequence >= job.sequence) return reply.code(204).send();
        await deps.streamSlots.take({ appName: job.appName, userId: job.requester.userId ?? "" }, reply);
        await streamEvaluation(deps, reply, {
          job,
          afterSequence,
          present: (change) => (change.kind === "job" ? toWireEvaluation(change.job) : toWireCase(change.case)),
        });
      },
    );
  };
}

function positionOf(header: string | undefined): number | undefined {
  if (header === undefined || header === "") return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  throw new InvalidRequestError([
    { type: "int_parsing", loc: ["header", "last-event-id"], msg: "Must be the id of a frame of this stream" },
  ]);
}

function toListRequest({
  appName,
  evalSetId,
  status,
  pageSize,
  pageToken,
}: Static<typeof ListQuery>): ListEvalJobsRequest {
  return {
    appName,
    evalSetId,
    statuses: status === undefined ? undefined : [status],
    pageSize,
    pageToken,
  };
}
