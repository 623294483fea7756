import { basename, resolve } from "node:path";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { parseEvalSetResult } from "#kit/evaluation/eval-json.ts";
import { type EvalMetric, type EvalSetResult, evalSetResultId } from "#kit/evaluation/eval-result.ts";
import { metricsOf } from "#kit/evaluation/formats/eval-config.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import type { Sleep } from "#kit/platform/sleep.ts";
import { readJson } from "#kit/schema/read-json.ts";
import { Type } from "#kit/schema/shape.ts";
import { GatewayClient } from "../gateway-client.ts";
import { UsageError } from "../parse-arguments.ts";
import { createReport, type EvalReport } from "./eval-report.ts";
import { readConfigFile, splitIds } from "./read-sets.ts";

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
}

/** A request without an answer for so long has not failed at once: the server may have been at work. */
const WORK_MS = 60_000;
/** Failures in a row, each soon after its request. */
const MOST_FAILURES = 8;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
/** How long one request waits. A repeated one continues. */
const REQUEST_MS = 5 * 60_000;
/** How long one evaluation of a set may take. */
const EVALUATION_MS = 24 * 60 * 60_000;

const SETS = Type.Object({ evalSetIds: Type.Array(Type.String()) });
const ANSWER = Type.Object({ runEvalResults: Type.Array(Type.Json()) });

/**
 * Evaluates an app on sets that a running server has. The server runs the turns and keeps the results. A request
 * whose connection is lost is repeated with its idempotency key, so that no turn is run twice. Throws as `GatewayClient`,
 * and `UsageError` for a config and sets that a server cannot evaluate.
 */
export async function evaluateOnServer(options: RemoteEval, parts: RemoteEvalParts): Promise<EvalReport> {
  const { url, credentials, repeat } = options;
  const app = basename(resolve(options.app));
  const evalMetrics = await metricsFor(options.configFile);
  const client = new GatewayClient(url, credentials);
  const path = `/apps/${encodeURIComponent(app)}/eval-sets`;
  // Not repeated: a server that does not answer now is probably the wrong one.
  const { evalSetIds } = readJson(SETS, await client.call(path), "answer");
  const words = options.sets.length > 0 ? options.sets : evalSetIds;
  if (words.length === 0) throw new UsageError(`The app ${app} has no evaluation sets on ${url}.`);
  const results: EvalSetResult[] = [];
  for (const word of words) {
    const [evalSetId = "", cases] = word.split(":");
    if (!evalSetIds.includes(evalSetId)) throw new UsageError(`The app ${app} has no set ${evalSetId} on ${url}.`);
    const body = { evalIds: splitIds(cases), ...(evalMetrics !== undefined && { evalMetrics }) };
    for (let run = 0; run < repeat; run += 1) {
      const startedSeconds = parts.clock.now() / 1000;
      const answer = await patiently(parts, (key) =>
        client.call(`${path}/${encodeURIComponent(evalSetId)}/run-eval`, "POST", {
          body,
          headers: { "idempotency-key": key },
          timeoutMs: REQUEST_MS,
        }),
      );
      results.push(toResult(readJson(ANSWER, answer, "answer").runEvalResults, { app, evalSetId, startedSeconds }));
    }
  }
  return createReport(app, repeat, results);
}

/** Repeats a request that got no answer, under one key. */
async function patiently(
  { clock, ids, sleep }: RemoteEvalParts,
  request: (key: string) => Promise<object>,
): Promise<object> {
  const key = ids.next();
  const begunMs = clock.now();
  for (let failures = 1; ; failures += 1) {
    const startedMs = clock.now();
    try {
      return await request(key);
    } catch (error) {
      const isLost = error instanceof PlatformError && error.reason === "SERVICE_UNAVAILABLE";
      const failedMs = clock.now();
      if (failedMs - startedMs > WORK_MS) failures = 1;
      if (!isLost || failedMs - begunMs > EVALUATION_MS || failures >= MOST_FAILURES) throw error;
      await sleep(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1)));
    }
  }
}

async function metricsFor(configFile: string | undefined): Promise<readonly EvalMetric[] | undefined> {
  if (configFile === undefined) return undefined;
  const config = await readConfigFile(configFile);
  const [custom] = Object.keys(config.customMetrics);
  if (custom !== undefined)
    throw new UsageError(`${configFile}: a server does not call functions such as the custom metric ${custom}.`);
  return metricsOf(config);
}

interface Source {
  readonly app: string;
  readonly evalSetId: string;
  readonly startedSeconds: number;
}

/** The answer has the cases' results alone, so that the time is that of this command. */
function toResult(evalCaseResults: readonly unknown[], { app, evalSetId, startedSeconds }: Source): EvalSetResult {
  return parseEvalSetResult({
    evalSetResultId: evalSetResultId(app, evalSetId, startedSeconds),
    evalSetId,
    evalCaseResults,
    creationTimestamp: startedSeconds,
  });
}
