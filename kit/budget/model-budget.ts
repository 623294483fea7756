import type { UsageMetadata } from "#kit/events/content.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";

/** The expected usage of a model call. */
export interface ModelCallEstimate {
  /** The name of the model. */
  readonly model: string;
  readonly promptTokens: number;
  /** The most tokens that the answer may have; absent if the request has no limit. */
  readonly maxOutputTokens?: number;
}

/** The part of a budget that is reserved for one call. */
export interface ReservedCall {
  /** Counts what the call has used, in place of the reserved part. Called once; never throws. */
  settle(used: UsageMetadata): void;
}

/** The budget of one run for calls of models. */
export interface RunBudget {
  /**
   * Reserves a part of the budget for a call, and waits while only other calls in progress are in the way. Throws
   * `QUOTA_EXCEEDED`, `MODEL_WITHOUT_PRICE` and `QUOTA_UNAVAILABLE` for a call that must not be made.
   */
  reserve(call: ModelCallEstimate, signal: AbortSignal): Promise<ReservedCall>;
}

/** Assigns to each run its budget for calls of models. */
export interface ModelBudget {
  /** The budget of a run that begins or is recovered; undefined if nothing limits it. */
  ofRun(run: Pick<RunRecord, "runId" | "session" | "request">): RunBudget | undefined;
}
