import { PlatformError } from "#kit/errors/platform-error.ts";
import type { BaseLlm, GenerateOptions } from "#kit/models/base-llm.ts";
import type { BaseLlmConnection, ConnectOptions } from "#kit/models/base-llm-connection.ts";
import type { LlmRequest } from "#kit/models/llm-request.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { type Choose, callRouted } from "./routed-call.ts";

/**
 * Chooses one of the models for a request, by its key. After a failure it is called again with the keys that have failed
 * and the last error; undefined, or a key that has failed already, makes that error final.
 */
export type LlmRouter = (
  models: Readonly<Record<string, BaseLlm>>,
  request: LlmRequest,
  errorContext?: { readonly failedKeys: ReadonlySet<string>; readonly lastError: unknown },
) => Promise<string | undefined> | string | undefined;

/** Options of `RoutedLlm`. */
export interface RoutedLlmOptions {
  /** By keys of your own; of a list, the keys are the models' names. */
  readonly models: Readonly<Record<string, BaseLlm>> | readonly BaseLlm[];
  readonly router: LlmRouter;
  /** The name in requests and traces before a model is chosen; by default it lists the models. */
  readonly modelName?: string | undefined;
}

/**
 * Several models that are a model: a function chooses one for each request, such as a small model for short questions.
 * Throws `INVALID_FIELD` for options that are wrong; a call throws `MODEL_NOT_FOUND` if the router chooses no model.
 *
 * @example
 * ```ts
 * import { LlmAgent } from "fairlead/kit";
 * import { Claude, Gemini, RoutedLlm } from "fairlead/models";
 *
 * const model = new RoutedLlm({
 *   models: { small: new Gemini({ model: "gemini-3.5-flash-lite" }), large: new Claude({ model: "claude-opus-5-5" }) },
 *   router: (_models, request) => (request.contents.length < 10 ? "small" : "large"),
 * });
 *
 * export const agent = new LlmAgent({ name: "desk", model, instruction: "Answer mails." });
 * ```
 */
export class RoutedLlm implements BaseLlm {
  readonly model: string;
  readonly supportsOutputSchemaWithTools: boolean;
  readonly connect?: NonNullable<BaseLlm["connect"]>;
  readonly #models: Readonly<Record<string, BaseLlm>>;
  readonly #router: LlmRouter;

  constructor({ models, router, modelName }: RoutedLlmOptions) {
    const named = isList(models) ? Object.fromEntries(models.map((model) => [model.model, model])) : { ...models };
    const all = Object.entries(named);
    if (all.length === 0) throw refused("models", "must have at least one model");
    if (isList(models) && all.length < models.length)
      throw refused("models", "has two models of one name: give an object with keys of your own");
    if (typeof router !== "function") throw refused("router", "must be a function that returns the key of a model");
    this.model = modelName ?? `RoutedLlm[${all.map(([key]) => key).join(", ")}]`;
    this.supportsOutputSchemaWithTools = all.every(([, model]) => model.supportsOutputSchemaWithTools === true);
    this.#models = named;
    this.#router = router;
    if (all.some(([, { connect }]) => connect !== undefined))
      this.connect = (request, options) => this.#connect(this.#models, request, options);
  }

  assertConfigured(): void {
    for (const model of Object.values(this.#models)) model.assertConfigured?.();
  }

  mapModels(replace: (model: BaseLlm) => BaseLlm): BaseLlm {
    const replaced = Object.entries(this.#models).map(([key, model]) => [key, replace(model)] as const);
    const models = Object.fromEntries(replaced);
    return {
      model: this.model,
      supportsOutputSchemaWithTools: this.supportsOutputSchemaWithTools,
      generateContentAsync: (request, options) => callRouted(this.#choose(models, request), request, options),
      connect: this.connect && ((request, options) => this.#connect(models, request, options)),
    };
  }

  generateContentAsync(request: LlmRequest, options: GenerateOptions): AsyncIterable<LlmResponse> {
    return callRouted(this.#choose(this.#models, request), request, options);
  }

  async #connect(
    models: Readonly<Record<string, BaseLlm>>,
    request: LlmRequest,
    options: ConnectOptions,
  ): Promise<BaseLlmConnection> {
    const { model } = (await this.#choose(models, request)()) ?? {};
    if (model?.connect === undefined)
      throw new PlatformError(
        "LIVE_NOT_SUPPORTED",
        `The model ${model?.model ?? "of the router"} has no live connection.`,
      );
    return model.connect(request.copy({ model: model.model }), options);
  }

  #choose(models: Readonly<Record<string, BaseLlm>>, request: LlmRequest): Choose {
    const failedKeys = new Set<string>();
    return async (failure) => {
      if (failure !== undefined) failedKeys.add(failure.candidate.key);
      const key = await this.#router(
        this.#models,
        request,
        failure && { failedKeys: new Set(failedKeys), lastError: failure.error },
      );
      if (key !== undefined && failedKeys.has(key)) return undefined;
      const model = key !== undefined && Object.hasOwn(models, key) ? models[key] : undefined;
      if (key !== undefined && model !== undefined) return { key, model };
      if (failure !== undefined) return undefined;
      const known = Object.keys(models).join(", ");
      throw new PlatformError("MODEL_NOT_FOUND", `The router chose "${key}", and the models are ${known}.`);
    };
  }
}

function isList(models: RoutedLlmOptions["models"]): models is readonly BaseLlm[] {
  return Array.isArray(models);
}

function refused(field: string, problem: string): PlatformError {
  return new PlatformError("INVALID_FIELD", `new RoutedLlm: ${field} ${problem}.`, { details: { field } });
}
