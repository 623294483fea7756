import { PlatformError } from "#kit/errors/platform-error.ts";
import type { BaseLlm, GenerateOptions } from "#kit/models/base-llm.ts";
import type { BaseLlmConnection, ConnectOptions } from "#kit/models/base-llm-connection.ts";
import { LiveFallback } from "#kit/models/live/live-fallback.ts";
import type { LlmRequest } from "#kit/models/llm-request.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import type { ModelProperties } from "#kit/models/model-properties.ts";
import { type CircuitBreakers, defaultCircuitBreakers } from "./circuit-breaker.ts";
import { type Candidate, callRouted, isRefusal } from "./routed-call.ts";

/** Options of `FallbackLlm`. */
export interface FallbackLlmOptions {
  /** By default those that all models of the process share. */
  readonly breakers?: CircuitBreakers | undefined;
}

/**
 * A list of models that is a model: when the first one fails, the next one is asked, with its own name and properties.
 * A model whose circuit breaker is open is passed over, unless all are. A refused request (`CLIENT_ERROR`), a limit of the
 * run and a missing key are not passed on: another model would hide them. Each model repeats its requests first, as its
 * `retry` says. Throws `INVALID_FIELD` for an empty list, and the last model's failure if all fail.
 *
 * @example
 * ```ts
 * import { LlmAgent } from "fairlead/kit";
 * import { Claude, FallbackLlm, Gemini } from "fairlead/models";
 *
 * const model = new FallbackLlm([
 *   new Gemini({ model: "gemini-3.8-flash", retry: { maxAttempts: 1 } }),
 *   new Claude({ model: "claude-sonnet-5-5" }),
 * ]);
 *
 * export const agent = new LlmAgent({ name: "desk", model, instruction: "Answer mails." });
 * ```
 */
export class FallbackLlm implements BaseLlm {
  readonly model: string;
  readonly supportsOutputSchemaWithTools: boolean;
  /** Connects over the models that have a live form, like `LiveFallback`. */
  readonly connect?: NonNullable<BaseLlm["connect"]>;
  readonly #candidates: readonly Candidate[];

  constructor(models: readonly BaseLlm[], { breakers = defaultCircuitBreakers }: FallbackLlmOptions = {}) {
    const candidates = models.map((model, index) => ({ key: `${index}`, model, breaker: breakers.of(model) }));
    const [first] = models;
    if (first === undefined)
      throw new PlatformError("INVALID_FIELD", "new FallbackLlm: models is empty. Give at least one model.", {
        details: { field: "models" },
      });
    this.model = first.model;
    this.supportsOutputSchemaWithTools = models.every((model) => model.supportsOutputSchemaWithTools === true);
    this.#candidates = candidates;
    const live = models.filter(({ connect }) => connect !== undefined);
    if (live.length > 0) this.connect = (request, options) => connectInTurn(live, request, options);
  }

  get providerName(): string | undefined {
    return this.#candidates[0]?.model.providerName;
  }

  /** Those of the first model, whose calls they observe; each model applies its own to requests. */
  get properties(): ModelProperties | undefined {
    const { observability } = this.#candidates[0]?.model.properties ?? {};
    return observability && { observability };
  }

  assertConfigured(): void {
    for (const { model } of this.#candidates) model.assertConfigured?.();
  }

  mapModels(replace: (model: BaseLlm) => BaseLlm): BaseLlm {
    const candidates = this.#candidates.map((candidate) => ({ ...candidate, model: replace(candidate.model) }));
    const live = candidates.map(({ model }) => model).filter(({ connect }) => connect !== undefined);
    return {
      model: this.model,
      supportsOutputSchemaWithTools: this.supportsOutputSchemaWithTools,
      generateContentAsync: (request, options) => callInTurn(candidates, request, options),
      connect: this.connect && ((request, options) => connectInTurn(live, request, options)),
    };
  }

  generateContentAsync(request: LlmRequest, options: GenerateOptions): AsyncIterable<LlmResponse> {
    return callInTurn(this.#candidates, request, options);
  }
}

function callInTurn(
  candidates: readonly Candidate[],
  request: LlmRequest,
  options: GenerateOptions,
): AsyncIterable<LlmResponse> {
  // Of a list without a closed breaker every model is tried: their own errors say more than an open breaker.
  const closed = candidates.filter(({ breaker }) => breaker?.isClosed !== false);
  const left = closed.length > 0 ? closed : [...candidates];
  return callRouted((failure) => (isRefusal(failure?.error) ? undefined : left.shift()), request, options);
}

function connectInTurn(
  models: readonly BaseLlm[],
  request: LlmRequest,
  options: ConnectOptions,
): Promise<BaseLlmConnection> {
  return new LiveFallback(models).connect(request, options);
}
