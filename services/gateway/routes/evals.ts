import type { FastifyReply } from "fastify";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { parseEvalCase, parseEvalSet, toEvalSetJson } from "#kit/evaluation/eval-json.ts";
import type { EvalCase } from "#kit/evaluation/eval-set.ts";
import { allNames } from "#kit/names/name-pages.ts";
import { type Shape, Type } from "#kit/schema/shape.ts";
import { evalSetNotFound } from "#ports/evaluation/eval-set-changes.ts";
import type { EvalCaseKey, EvalSetKey } from "#ports/evaluation/eval-store.ts";
import type { SizeLimit } from "#ports/evaluation/size-limit.ts";
import type { RouteAccess } from "../access/route-access.ts";
import type { RouteDeps } from "../deps.ts";
import { addSession } from "../evaluations/add-session.ts";
import { evalSetOf } from "../evaluations/eval-body.ts";
import { metricsOfServer } from "../evaluations/eval-rules.ts";
import { evaluationAnswer } from "../evaluations/evaluation-answer.ts";
import { toUiResult } from "../evaluations/wire-evaluation.ts";
import { echoBytes, WHOLE_SESSION_BYTES } from "../http/answer-bound.ts";
import { InvalidRequestError, JSON_TYPE } from "../http/errors.ts";
import type { RouteDescription } from "../openapi/route-description.ts";
import type { TypedRoutes } from "../requests/typed-routes.ts";
import { answers, JsonMap } from "../requests/wire-schemas.ts";
import { answersOf } from "../streams/answers-of.ts";
import { listPieces, sendPieces } from "../streams/send-pieces.ts";

type EvalDeps = Pick<
  RouteDeps,
  | "evalStore"
  | "evalJobs"
  | "sessionService"
  | "artifactService"
  | "runnerService"
  | "clock"
  | "answers"
  | "config"
  | "logger"
>;

const AppParams = Type.Object({ appName: Type.String() });
const SetParams = Type.Object({ ...AppParams.properties, evalSetId: Type.String() });
const CaseParams = Type.Object({ ...SetParams.properties, evalId: Type.String() });
const ResultParams = Type.Object({ ...AppParams.properties, evalResultId: Type.String() });
const Names = Type.Array(Type.String());

type ListKey = "evalSetIds" | "evalResultIds";

/** Older and newer clients use different paths; the answers of lists differ with them. */
interface Spelling {
  readonly sets: string;
  readonly cases: string;
  readonly results: string;
  readonly addSession: readonly string[];
  readonly around: (key: ListKey) => readonly [before: string, after: string];
  readonly listSchema: (key: ListKey) => Shape;
}

// The newer one first: it is the one that the API's description shows.
const SPELLINGS: readonly Spelling[] = [
  {
    sets: "eval-sets",
    cases: "eval-cases",
    results: "eval-results",
    addSession: ["add-session"],
    around: (key) => [`{"${key}":`, "}"],
    listSchema: (key) => Type.Object({ [key]: Names }),
  },
  {
    sets: "eval_sets",
    cases: "evals",
    results: "eval_results",
    addSession: ["add_session", "add-session"],
    around: () => ["", ""],
    listSchema: () => Names,
  },
];

const AddSessionBody = Type.Object({
  evalId: Type.String({ description: "The id of the new case." }),
  sessionId: Type.String(),
  userId: Type.String(),
});

const CASE_EXAMPLE = {
  evalId: "paris",
  conversation: [
    {
      userContent: { role: "user", parts: [{ text: "What is the weather in Paris?" }] },
      finalResponse: { role: "model", parts: [{ text: "In Paris it is sunny." }] },
    },
  ],
};

/** Evaluation sets, their cases and results, under both prefixes and in all spellings. */
export function evalRoutes(deps: EvalDeps): TypedRoutes {
  return async (app) => {
    for (const prefix of ["/apps/:appName", "/dev/apps/:appName"]) {
      for (const spelling of SPELLINGS) {
        addSetRoutes(app, deps, { prefix, spelling });
        addCaseRoutes(app, deps, { prefix, spelling });
        addResultRoutes(app, deps, { prefix, spelling });
      }
      for (const path of ["metrics-info", "eval_metrics"]) {
        app.get(
          `${prefix}/${path}`,
          {
            schema: documented({
              operationId: "listMetrics",
              answer: "of-the-operator",
              summary: "Metrics that evaluations know",
              params: AppParams,
              success: JsonMap,
            }),
          },
          async () => {
            const { judgeModels } = await deps.evalJobs.describe();
            return { metricsInfo: (await metricsOfServer(judgeModels)).infos };
          },
        );
      }
    }
  };
}

type App = Parameters<TypedRoutes>[0];

interface Place {
  readonly prefix: string;
  readonly spelling: Spelling;
}

function addSetRoutes(app: App, deps: EvalDeps, { prefix, spelling }: Place): void {
  const { evalStore } = deps;
  const sets = `${prefix}/${spelling.sets}`;
  const list = documented({
    operationId: "listEvalSets",
    answer: "in-parts",
    summary: "Ids of the evaluation sets",
    params: AppParams,
    success: spelling.listSchema("evalSetIds"),
  });
  app.get(sets, { schema: list }, async ({ params }, reply) => {
    const names = allNames((after?: string) => evalStore.listEvalSets(params, after));
    return sendNames(deps, reply, names, spelling.around("evalSetIds"));
  });

  const create = documented({
    operationId: "createEvalSet",
    answer: (_config, request) => 2 * echoBytes(request),
    summary: "Create a set",
    params: AppParams,
    errors: ["EVAL_SET_ALREADY_EXISTS", "INVALID_FIELD"],
    givenBody: Type.Object({ evalSet: JsonMap }),
    example: { evalSet: { evalSetId: "forecasts", name: "Forecasts", evalCases: [] } },
    success: JsonMap,
  });
  app.post(sets, { schema: create }, async ({ params, body }, reply) => {
    // Copied by name, because a body may contain other members of the store's request.
    const { evalSetId, name, description, evalCases, creationTimestamp } = parseEvalSet(evalSetOf(body));
    const request = {
      ...params,
      evalSetId,
      evalCases,
      name,
      description,
      creationTimestamp: creationTimestamp > 0 ? creationTimestamp : undefined,
    };
    return sendJson(reply, toEvalSetJson(await evalStore.createEvalSet(request)));
  });

  app.post(
    `${sets}/:evalSetId`,
    {
      schema: documented({
        operationId: "createEmptyEvalSet",
        answer: "small",
        summary: "Create an empty set",
        params: SetParams,
        errors: ["EVAL_SET_ALREADY_EXISTS"],
      }),
    },
    async ({ params }, reply) => {
      await evalStore.createEvalSet({ ...params, name: params.evalSetId });
      return sendJson(reply, null);
    },
  );

  app.get(
    `${sets}/:evalSetId`,
    {
      schema: documented({
        operationId: "readEvalSet",
        answer: "in-parts",
        summary: "A set with its cases",
        params: SetParams,
        errors: ["EVAL_SET_NOT_FOUND"],
        success: JsonMap,
      }),
    },
    async ({ params }, reply) => {
      const read = (limit: SizeLimit) => evalStore.getEvalSet(params, limit);
      return sendEvaluation(deps, reply, read, (set) => toEvalSetJson(set ?? absentSet(params)));
    },
  );

  const remove = documented({
    operationId: "deleteEvalSet",
    answer: "small",
    summary: "Delete a set",
    params: SetParams,
    errors: ["EVAL_SET_NOT_FOUND"],
  });
  app.delete(`${sets}/:evalSetId`, { schema: remove }, async ({ params }, reply) => {
    await evalStore.deleteEvalSet(params);
    return sendJson(reply, null);
  });
}

/** Sets, cases and results belong to an app. */
const EVALS = { scope: "evals", owner: "app" } as const;

function addCaseRoutes(app: App, deps: EvalDeps, { prefix, spelling }: Place): void {
  const { evalStore } = deps;
  const set = `${prefix}/${spelling.sets}/:evalSetId`;
  const cases = `${set}/${spelling.cases}`;
  const list = documented({
    operationId: "listEvalCases",
    answer: "in-parts",
    summary: "Ids of a set's cases",
    params: SetParams,
    errors: ["EVAL_SET_NOT_FOUND"],
    success: Names,
  });
  app.get(cases, { schema: list }, async ({ params }, reply) => {
    const read = (limit: SizeLimit) => evalStore.listEvalCases(params, limit);
    return sendEvaluation(deps, reply, read, (names) => names);
  });

  for (const path of spelling.addSession) {
    const schema = documented({
      operationId: "addSessionToEvalSet",
      answer: () => WHOLE_SESSION_BYTES,
      access: { ...EVALS, owner: "body-user" },
      summary: "Add a session as a case",
      params: SetParams,
      errors: ["EVAL_SET_NOT_FOUND", "EVAL_CASE_ALREADY_EXISTS", "SESSION_NOT_FOUND", "INVALID_FIELD"],
      givenBody: AddSessionBody,
      example: { evalId: "paris", sessionId: "first", userId: "me" },
    });
    app.post(`${set}/${path}`, { schema }, async ({ params, body }, reply) => {
      await addSession(deps, params, body);
      return sendJson(reply, null);
    });
  }

  const one = { params: CaseParams, errors: ["EVAL_CASE_NOT_FOUND"] } as const;
  const read = documented({
    ...one,
    operationId: "readEvalCase",
    answer: "in-parts",
    summary: "A case",
    success: JsonMap,
  });
  app.get(`${cases}/:evalId`, { schema: read }, async ({ params }, reply) => {
    const find = (limit: SizeLimit) => evalStore.getEvalCase(params, limit);
    return sendEvaluation(deps, reply, find, (found) => toWireCase(found ?? evalCaseNotFound(params)));
  });

  const replace = documented({
    ...one,
    errors: ["EVAL_CASE_NOT_FOUND", "INVALID_FIELD"],
    operationId: "replaceEvalCase",
    answer: "small",
    summary: "Replace a case",
    givenBody: JsonMap,
    example: CASE_EXAMPLE,
  });
  app.put(`${cases}/:evalId`, { schema: replace }, async ({ params, body }, reply) => {
    // Undefined if there is no body, which the parser refuses like null.
    const evalCase = parseEvalCase(body, "body");
    if (evalCase.evalId !== params.evalId) throw otherEvalId(params.evalId);
    await evalStore.updateEvalCase(params, evalCase);
    return sendJson(reply, null);
  });

  const remove = documented({ ...one, operationId: "deleteEvalCase", answer: "small", summary: "Delete a case" });
  app.delete(`${cases}/:evalId`, { schema: remove }, async ({ params }, reply) => {
    await evalStore.deleteEvalCase(params);
    return sendJson(reply, null);
  });
}

function addResultRoutes(app: App, deps: EvalDeps, { prefix, spelling }: Place): void {
  const { evalStore } = deps;
  const results = `${prefix}/${spelling.results}`;
  const isForUi = prefix.startsWith("/dev/");
  const list = documented({
    operationId: "listEvalResults",
    answer: "in-parts",
    summary: "Names of the results",
    params: AppParams,
    success: spelling.listSchema("evalResultIds"),
  });
  app.get(results, { schema: list }, async ({ params }, reply) => {
    const names = allNames((after?: string) => evalStore.listEvalSetResults(params, after));
    return sendNames(deps, reply, names, spelling.around("evalResultIds"));
  });

  app.get(
    `${results}/:evalResultId`,
    {
      schema: documented({
        operationId: "readEvalResult",
        answer: "in-parts",
        summary: "A result",
        params: ResultParams,
        errors: ["EVAL_RESULT_NOT_FOUND"],
        success: JsonMap,
      }),
    },
    async ({ params }, reply) => {
      const { evalResultId } = params;
      const read = (limit: SizeLimit) => evalStore.getEvalSetResult(params, evalResultId, limit);
      return sendEvaluation(deps, reply, read, (result = resultNotFound(evalResultId)) =>
        isForUi ? toUiResult(result) : result,
      );
    },
  );
}

/** The developer UI requires these two. */
function toWireCase(evalCase: EvalCase): EvalCase {
  return { creationTimestamp: 0, finalSessionState: {}, ...evalCase };
}

function absentSet(key: EvalSetKey): never {
  throw evalSetNotFound(key);
}

function resultNotFound(evalResultId: string): never {
  throw new PlatformError("EVAL_RESULT_NOT_FOUND", `Evaluation result not found: ${evalResultId}`, {
    details: { evalResultId },
  });
}

function evalCaseNotFound({ evalSetId, evalId }: EvalCaseKey): never {
  const message = `Evaluation set ${evalSetId} or case ${evalId} not found.`;
  throw new PlatformError("EVAL_CASE_NOT_FOUND", message, { details: { evalSetId, evalId } });
}

function otherEvalId(evalId: string): InvalidRequestError {
  return new InvalidRequestError([
    { type: "value_error", loc: ["body", "evalId"], msg: `Input should be ${evalId}, as in the path` },
  ]);
}

interface EvalDescription<Params extends Shape>
  extends Pick<RouteDescription, "operationId" | "answer" | "summary" | "errors" | "givenBody" | "example"> {
  /** That of the app's evaluations by default. */
  readonly access?: RouteAccess;
  readonly params: Params;
  /** Null by default. */
  readonly success?: Shape;
}

function documented<Params extends Shape>({
  success = Type.Null(),
  access = EVALS,
  ...schema
}: EvalDescription<Params>) {
  return { ...schema, access, tags: ["evaluation"], response: answers({ 200: success }) };
}

function sendEvaluation<Value>(
  deps: EvalDeps,
  reply: FastifyReply,
  read: (limit: SizeLimit) => Promise<Value>,
  toWire: (value: Value) => unknown,
): Promise<FastifyReply> {
  return sendPieces(deps, reply, evaluationAnswer(answersOf(deps, reply.request), read, toWire));
}

/** The names as a list, between two texts. */
function sendNames(
  deps: EvalDeps,
  reply: FastifyReply,
  names: AsyncIterable<string>,
  [before, after]: readonly [string, string],
): Promise<FastifyReply> {
  const pieces = async function* (): AsyncGenerator<string, void, undefined> {
    yield before;
    yield* listPieces(names);
    yield after;
  };
  return sendPieces(deps, reply, { answers: answersOf(deps, reply.request), pieces: pieces() });
}

// The framework sends no body for null, but clients of these calls parse one.
function sendJson(reply: FastifyReply, value: unknown): FastifyReply {
  return reply.type(JSON_TYPE).send(JSON.stringify(value));
}
