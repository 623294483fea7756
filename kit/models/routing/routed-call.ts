import { PlatformError } from "#kit/errors/platform-error.ts";
import type { BaseLlm, GenerateOptions } from "#kit/models/base-llm.ts";
import { ErrorCategory, ModelError } from "#kit/models/error-mapper.ts";
import type { LlmRequest } from "#kit/models/llm-request.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { isJsonObject } from "#kit/platform/json.ts";
import type { CircuitBreaker } from "./circuit-breaker.ts";

/** One of several models. */
export interface Candidate {
  readonly key: string;
  /** The model as it is called: of a run, with its calls bounded and metered. */
  readonly model: BaseLlm;
  /** Absent: whoever chooses decides itself whether the model may be called. */
  readonly breaker?: CircuitBreaker;
}

/** Chooses the model for a request, and after a failure the next one; undefined: the failure is final. */
export type Choose = (failure?: {
  readonly candidate: Candidate;
  readonly error: unknown;
}) => Candidate | undefined | Promise<Candidate | undefined>;

/**
 * A change to another model, in an event's `customMetadata.modelChange`: on the complete answer, and on the first chunk of
 * the model that answers. A type, so that it counts as JSON.
 */
export type ModelChange = {
  readonly from: string;
  readonly to: string;
  /** The category of the failure, such as `RATE_LIMITED`, or `MODEL_UNAVAILABLE` for an error of another kind. */
  readonly reason: string;
  /** Chunks of the other model were passed on: the answer begins again, and they count no more. */
  readonly restarted: boolean;
};

/**
 * Asks the chosen model, and the next one when it fails. A model that breaks within its stream has not answered: nothing
 * that it said is kept, its calls of tools were not made, and the next model begins again.
 */
export async function* callRouted(
  choose: Choose,
  request: LlmRequest,
  options: GenerateOptions,
): AsyncGenerator<LlmResponse, void, undefined> {
  let candidate = await choose();
  let change: ModelChange | undefined;
  while (candidate !== undefined) {
    const { model, breaker } = candidate;
    const call = breaker?.begin();
    let hasAnswered = false;
    try {
      const own = model.model === request.model ? request : request.copy({ model: model.model });
      for await (const response of model.generateContentAsync(own, options)) {
        const isMarked = change !== undefined && (!hasAnswered || response.partial !== true);
        hasAnswered = true;
        yield isMarked && change !== undefined ? marked(response, change) : response;
      }
      call?.settle("success");
      return;
    } catch (error) {
      call?.settle(saysNothing(error) ? "unknown" : "failure");
      if (options.signal.aborted || isFinal(error)) throw error;
      const next = await choose({ candidate, error });
      if (next === undefined) throw error;
      change = { from: model.model, to: next.model.model, reason: reasonOf(error), restarted: hasAnswered };
      options.logger?.warn({ ...change }, "a model failed: another one is asked");
      candidate = next;
    } finally {
      // The caller has stopped reading.
      call?.settle("unknown");
    }
  }
}

/** Limits of the run, and missing keys and packages: another model must not hide them. */
function isFinal(error: unknown): boolean {
  return error instanceof PlatformError && !(error instanceof ModelError);
}

/** Failures that another request to the same model may not have. */
function saysNothing(error: unknown): boolean {
  return isFinal(error) || isRefusal(error);
}

/** Whether the request itself was refused, not only by this model. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ModelError && error.category === ErrorCategory.CLIENT_ERROR;
}

function reasonOf(error: unknown): string {
  return error instanceof ModelError ? error.category : "MODEL_UNAVAILABLE";
}

function marked(response: LlmResponse, modelChange: ModelChange): LlmResponse {
  const { customMetadata } = response;
  if (customMetadata !== undefined && !isJsonObject(customMetadata)) return response;
  return { ...response, customMetadata: { ...customMetadata, modelChange } };
}
