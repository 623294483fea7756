import type { FastifyReply } from "fastify";
import type { EvalCaseResult } from "#kit/evaluation/eval-result.ts";
import { Type } from "#kit/schema/shape.ts";
import { inThisCallScope } from "#shared/security/call-scope.ts";
import type { RouteDeps } from "../deps.ts";
import { awaitEvaluation } from "../evaluations/await-evaluation.ts";
import { assertMayStartRuns } from "../evaluations/eval-rules.ts";
import { parseRunEvalRequest } from "../evaluations/run-eval-request.ts";
import { callerOf } from "../identity/authenticator.ts";
import { described } from "../openapi/route-description.ts";
import { CreateHeaders, readIdempotencyKey } from "../requests/idempotency.ts";
import type { TypedRoutes } from "../requests/typed-routes.ts";
import { answers, JsonMap } from "../requests/wire-schemas.ts";
import { answersOf } from "../streams/answers-of.ts";
import { listPieces, sendPieces } from "../streams/send-pieces.ts";

const SetParams = Type.Object({ appName: Type.String(), evalSetId: Type.String() });

const Results = Type.Array(JsonMap);

/** Older clients read the results as an array, newer ones as a member. */
const SPELLINGS = [
  { paths: ["eval-sets/:evalSetId/run", "eval-sets/:evalSetId/run-eval"], isNewer: true },
  { paths: ["eval_sets/:evalSetId/run_eval", "eval_sets/:evalSetId/run-eval"], isNewer: false },
] as const;

const Ids = (description: string) => Type.Optional(Type.Array(Type.String(), { description }));

const RunEvalBody = Type.Object({
  evalIds: Ids("The cases to run; all of the set if absent or empty."),
  evalCaseIds: Ids("The same, as newer clients name it."),
  evalMetrics: Type.Optional(
    Type.Array(Type.Json(), {
      description: "Names of metrics, or objects with `metricName`, `threshold` and `criterion`.",
    }),
  ),
});

/** Evaluations of sets, under both prefixes and in all spellings. The answer comes when all cases are evaluated. */
export function evalRunRoutes(deps: RouteDeps): TypedRoutes {
  return async (app) => {
    for (const prefix of ["/apps/:appName", "/dev/apps/:appName"]) {
      for (const { paths, isNewer } of SPELLINGS) {
        const schema = described({
          operationId: "runEvaluation",
          answer: "in-parts",
          access: { scope: "evals", owner: "app" },
          tags: ["evaluation"],
          summary: "Run an evaluation",
          description:
            "Runs the app on the cases of a set, each in a session of its own, and stores and answers the results. Needs the scope `runs:write` too. A repeat under the same `Idempotency-Key` waits for the same evaluation; without one it ends if the client leaves. `POST /v1/evals` starts one in the background.",
          params: SetParams,
          headers: CreateHeaders,
          givenBody: RunEvalBody,
          example: { evalIds: ["paris"], evalMetrics: [{ metricName: "response_match_score", threshold: 0.8 }] },
          errors: [
            "EVAL_SET_NOT_FOUND",
            "EVAL_CASE_NOT_FOUND",
            "APP_NOT_FOUND",
            "INVALID_FIELD",
            "QUOTA_EXCEEDED",
            "DATA_IN_DELETION",
          ],
          response: answers({ 200: isNewer ? Type.Object({ runEvalResults: Results }) : Results }),
        });
        for (const path of paths) {
          app.post(`${prefix}/${path}`, { schema }, async (request, reply) => {
            const { keyId, scopes } = callerOf(request);
            assertMayStartRuns(scopes);
            const { params, headers } = request;
            const idempotencyKey = readIdempotencyKey(headers);
            const { startEvaluation } = await import("../evaluations/start-evaluation.ts");
            const job = await startEvaluation(deps, params, parseRunEvalRequest(request.body), {
              keyId,
              idempotencyKey,
            });
            // Without a key the evaluation is cancelled, because no later request could find it.
            const onLeave =
              idempotencyKey === undefined ? () => void deps.evalJobs.cancel(job).catch(() => undefined) : undefined;
            const gone = signalOf(reply, onLeave);
            const results = await awaitEvaluation(deps, job, gone);
            const answers = answersOf(deps, request);
            // The evaluation has an effect, so its answer is not refused.
            answers.begin(gone);
            const pieces = resultPieces(params.appName, results, isNewer ? [`{"runEvalResults":`, "}"] : ["", ""]);
            return sendPieces(deps, reply, { answers, pieces });
          });
        }
      }
    }
  };
}

/** The outcome of a case, as the answer has it. */
interface RunEvalResult extends EvalCaseResult {
  readonly appName: string;
}

async function* resultPieces(
  appName: string,
  results: AsyncIterable<EvalCaseResult>,
  [before, after]: readonly [string, string],
): AsyncGenerator<string, void, undefined> {
  yield before;
  yield* listPieces(wireResults(appName, results));
  yield after;
}

async function* wireResults(appName: string, results: AsyncIterable<EvalCaseResult>): AsyncGenerator<RunEvalResult> {
  for await (const result of results) yield toRunEvalResult(appName, result);
}

function toRunEvalResult(appName: string, result: EvalCaseResult): RunEvalResult {
  return { appName, ...result, evalMetricResults: result.overallEvalMetricResults };
}

/** Is aborted when the client leaves, and then calls the function. */
function signalOf(reply: FastifyReply, onLeave?: () => void): AbortSignal {
  const controller = new AbortController();
  const leave = inThisCallScope(() => {
    if (reply.raw.writableFinished || controller.signal.aborted) return;
    controller.abort();
    onLeave?.();
  });
  reply.raw.once("close", leave);
  // The client may have left while the request was being read.
  if (reply.raw.destroyed) leave();
  return controller.signal;
}
