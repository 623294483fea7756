import { PlatformError } from "#kit/errors/platform-error.ts";
import { ERROR_REASONS, type ErrorReason } from "#kit/errors/reasons.ts";
import { parseEvalSetResult } from "#kit/evaluation/eval-json.ts";
import type { EvalMetric, EvalSetResult } from "#kit/evaluation/eval-result.ts";
import type { UserSimulatorConfig } from "#kit/evaluation/formats/eval-config.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import { parseJson, readJson } from "#kit/schema/read-json.ts";
import { type Static, Type } from "#kit/schema/shape.ts";
import { EVAL_JOB_STATUSES } from "#ports/evaluation-jobs/eval-job.ts";
import type { GatewayClient } from "../gateway/gateway-client.ts";
import type { RetryUntilSilent } from "./retry-until-silent.ts";

/** What a server is asked to evaluate. */
export interface EvaluationRequest {
  readonly appName: string;
  readonly evalSetId: string;
  readonly evalIds: readonly string[];
  readonly evalMetrics?: readonly EvalMetric[];
  readonly userSimulatorConfig?: UserSimulatorConfig;
}

const COUNT = Type.Integer({ minimum: 0 });

const EVALUATION = Type.Object({
  jobId: Type.String(),
  appName: Type.String(),
  status: Type.Enum([...EVAL_JOB_STATUSES]),
  counts: Type.Object({ total: COUNT, done: COUNT, passed: COUNT }),
  evalResultId: Type.Optional(Type.String()),
  error: Type.Optional(Type.Object({ reason: Type.String(), message: Type.String() })),
});

/** An evaluation of the server, as far as it is. */
export type ServerEvaluation = Static<typeof EVALUATION>;

const CANCEL_MS = 35_000;

/** The evaluations of a server. What fails because its connection was lost is repeated. Throws as `GatewayClient`. */
export class EvaluationsClient {
  readonly #client: GatewayClient;
  readonly #patience: RetryUntilSilent;
  readonly #ids: IdGenerator;

  constructor(
    client: GatewayClient,
    { patience, ids }: { readonly patience: RetryUntilSilent; readonly ids: IdGenerator },
  ) {
    this.#client = client;
    this.#patience = patience;
    this.#ids = ids;
  }

  async start(body: EvaluationRequest): Promise<ServerEvaluation> {
    // The same key each time, so that a repeated request starts nothing more.
    const headers = { "idempotency-key": this.#ids.next() };
    return toEvaluation(await this.#patience.repeat(() => this.#client.call("/v1/evals", "POST", { body, headers })));
  }

  /** Reads how far the evaluation is until it has ended, and returns its end. Throws the signal's reason. */
  async follow(
    jobId: string,
    onProgress: (evaluation: ServerEvaluation) => void,
    signal: AbortSignal,
  ): Promise<ServerEvaluation> {
    let position: string | undefined;
    return this.#patience.repeat(async (progressed) => {
      for await (const { event, data, id } of this.#client.stream(`${pathOf(jobId)}/stream`, position, signal)) {
        if (id !== undefined && id !== position) progressed();
        position = id ?? position;
        if (event === "message") throw streamError(data);
        if (event !== "job") continue;
        const evaluation = toEvaluation(parseJson(data, "A frame of the stream"));
        onProgress(evaluation);
        if (evaluation.status !== "queued" && evaluation.status !== "running") return evaluation;
      }
      throw new PlatformError("SERVICE_UNAVAILABLE", "The server has ended the stream of the evaluation.");
    });
  }

  /** Ends the evaluation, and waits until its runs are cancelled. */
  async cancel(jobId: string): Promise<void> {
    await this.#patience.repeat(() =>
      this.#client.call(`${pathOf(jobId)}/cancel?wait=true`, "POST", { timeoutMs: CANCEL_MS }),
    );
  }

  /** The stored result of the set. */
  async result({ appName, evalResultId = "" }: ServerEvaluation): Promise<EvalSetResult> {
    const path = `/apps/${encodeURIComponent(appName)}/eval-results/${encodeURIComponent(evalResultId)}`;
    return parseEvalSetResult(await this.#patience.repeat(() => this.#client.call(path)));
  }
}

/** Throws why an evaluation that has ended has no result. */
export function assertSucceeded({ jobId, status, error }: ServerEvaluation): void {
  if (status === "succeeded") return;
  if (status === "cancelled")
    throw new PlatformError("EVAL_JOB_CANCELLED", `The evaluation ${jobId} was cancelled on the server.`);
  throw new PlatformError(reasonOf(error?.reason), error?.message ?? `The evaluation ${jobId} failed.`);
}

function pathOf(jobId: string): string {
  return `/v1/evals/${encodeURIComponent(jobId)}`;
}

function toEvaluation(answer: unknown): ServerEvaluation {
  return readJson(EVALUATION, answer, "answer");
}

const STREAM_ERROR = Type.Object({
  error: Type.String(),
  error_details: Type.Optional(Type.Object({ error_type: Type.String() })),
});

function streamError(data: string): PlatformError {
  const { error, error_details } = readJson(STREAM_ERROR, parseJson(data, "A frame of the stream"), "frame");
  return new PlatformError(reasonOf(error_details?.error_type), error);
}

/** A newer server may have reasons that this command does not know. */
function reasonOf(reason: string | undefined): ErrorReason {
  // Own keys of the table are exactly the reasons.
  return reason !== undefined && Object.hasOwn(ERROR_REASONS, reason) ? (reason as ErrorReason) : "INTERNAL";
}
