import { basename, resolve } from "node:path";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { EvalSetResult } from "#kit/evaluation/eval-result.ts";
import { metricsOf } from "#kit/evaluation/formats/eval-config.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import type { Sleep } from "#kit/platform/sleep.ts";
import { readJson } from "#kit/schema/read-json.ts";
import { Type } from "#kit/schema/shape.ts";
import { GatewayClient } from "../gateway/gateway-client.ts";
import { UsageError } from "../parse-arguments.ts";
import { createReport, type EvalReport } from "./eval-report.ts";
import {
  assertSucceeded,
  type EvaluationRequest,
  EvaluationsClient,
  type ServerEvaluation,
} from "./evaluations-client.ts";
import type { Progress } from "./progress-bar.ts";
import { readConfigFile, splitIds } from "./read-sets.ts";
import { RetryUntilSilent } from "./retry-until-silent.ts";

export interface RemoteEval {
  readonly url: string;
  /** An API key or a token. */
  readonly credentials: string | undefined;
  /** The app's name, or a path that ends in it. */
  readonly app: string;
  /** Ids of the server's sets, with the ids of some of their cases behind a colon; none for all sets of the app. */
  readonly sets: readonly string[];
  /** The file with the metrics; the server's own if undefined. */
  readonly configFile: string | undefined;
  readonly repeat: number;
}

/** What the command takes from the machine. */
export interface RemoteEvalParts {
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly sleep: Sleep;
  readonly onProgress: (progress: Progress) => void;
  /** Cancels the evaluation in progress. */
  readonly signal: AbortSignal;
}

const SETS = Type.Object({ evalSetIds: Type.Array(Type.String()) });
const CASES = Type.Array(Type.String());

/**
 * Evaluates an app on sets that a running server has. The server runs the evaluations, which continue if the connection
 * is lost, and keeps the results. Throws as `GatewayClient`, `UsageError` for a config and sets that a server cannot
 * evaluate, and `EVAL_JOB_CANCELLED` if the signal is aborted.
 */
export async function evaluateOnServer(options: RemoteEval, parts: RemoteEvalParts): Promise<EvalReport> {
  const { url, credentials, repeat, sets } = options;
  const app = basename(resolve(options.app));
  const config = await configFor(options.configFile);
  const client = new GatewayClient(url, credentials);
  const plans = await plansOf(client, { app, sets, url });
  const evaluations = new EvaluationsClient(client, { patience: new RetryUntilSilent(parts), ids: parts.ids });
  const total = repeat * plans.reduce((sum, { cases }) => sum + cases, 0);
  const results: EvalSetResult[] = [];
  const before = { done: 0, passed: 0 };
  for (const { evalSetId, evalIds } of plans) {
    for (let run = 0; run < repeat; run += 1) {
      const ended = await runOne(evaluations, { appName: app, evalSetId, evalIds, ...config }, parts.signal, (now) => {
        const done = before.done + now.done;
        parts.onProgress({ total, done, failed: done - before.passed - now.passed });
      });
      before.done += ended.counts.done;
      before.passed += ended.counts.passed;
      results.push(await evaluations.result(ended));
    }
  }
  return createReport(app, repeat, results);
}

async function runOne(
  evaluations: EvaluationsClient,
  request: EvaluationRequest,
  signal: AbortSignal,
  onCounts: (counts: ServerEvaluation["counts"]) => void,
): Promise<ServerEvaluation> {
  if (signal.aborted) throw interrupted();
  const { jobId, counts } = await evaluations.start(request);
  onCounts(counts);
  try {
    const ended = await evaluations.follow(jobId, (now) => onCounts(now.counts), signal);
    assertSucceeded(ended);
    return ended;
  } catch (error) {
    if (signal.aborted) {
      await evaluations.cancel(jobId);
      throw interrupted();
    }
    if (!isLost(error)) throw error;
    const message = `${error.message} The evaluation ${jobId} continues on the server: GET /v1/evals/${jobId}`;
    throw new PlatformError(error.reason, message, { cause: error });
  }
}

function isLost(error: unknown): error is PlatformError {
  return error instanceof PlatformError && error.reason === "SERVICE_UNAVAILABLE";
}

function interrupted(): PlatformError {
  return new PlatformError("EVAL_JOB_CANCELLED", "The evaluation was cancelled.");
}

/** One set, with the ids of some of its cases, or none for all. */
interface SetPlan {
  readonly evalSetId: string;
  readonly evalIds: readonly string[];
  /** How many. */
  readonly cases: number;
}

type Wanted = Pick<RemoteEval, "app" | "sets" | "url">;

async function plansOf(client: GatewayClient, { app, sets, url }: Wanted): Promise<readonly SetPlan[]> {
  const path = `/apps/${encodeURIComponent(app)}/eval-sets`;
  // Not repeated: a server that does not answer now is probably the wrong one.
  const { evalSetIds } = readJson(SETS, await client.call(path), "answer");
  const words = sets.length > 0 ? sets : evalSetIds;
  if (words.length === 0) throw new UsageError(`The app ${app} has no evaluation sets on ${url}.`);
  const plans: SetPlan[] = [];
  for (const word of words) {
    const [evalSetId = "", ids] = word.split(":");
    if (!evalSetIds.includes(evalSetId)) throw new UsageError(`The app ${app} has no set ${evalSetId} on ${url}.`);
    const evalIds = [...new Set(splitIds(ids))];
    const all = readJson(CASES, await client.call(`${path}/${encodeURIComponent(evalSetId)}/eval-cases`), "answer");
    plans.push({ evalSetId, evalIds, cases: evalIds.length > 0 ? evalIds.length : all.length });
  }
  return plans;
}

async function configFor(
  configFile: string | undefined,
): Promise<Pick<EvaluationRequest, "evalMetrics" | "userSimulatorConfig">> {
  if (configFile === undefined) return {};
  const { userSimulatorConfig, ...config } = await readConfigFile(configFile);
  const [custom] = Object.keys(config.customMetrics);
  if (custom !== undefined)
    throw new UsageError(
      `${configFile}: a server cannot call functions of your files: remove the custom metric ${custom}.`,
    );
  return { evalMetrics: metricsOf(config), userSimulatorConfig };
}
