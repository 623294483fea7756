import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  SharedV4ProviderOptions,
  SharedV4Warning,
} from "@ai-sdk/provider";
import type { BaseLlm, GenerateOptions } from "#kit/models/base-llm.ts";
import type { ProviderNames } from "#kit/models/error-mapper.ts";
import type { LlmRequest } from "#kit/models/llm-request.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { MODEL_OPTION_RULES, type ModelOptions } from "#kit/models/model-options.ts";
import { MODEL_PROPERTY_RULES, type ModelProperties } from "#kit/models/model-properties.ts";
import type { StreamChunk } from "#kit/models/stream-aggregator.ts";
import { AdapterProperties } from "#kit/models/wire/adapter-properties.ts";
import { callProvider } from "#kit/models/wire/call-provider.ts";
import { aiSdkRules, isOfOpenAi } from "#kit/models/wire/provider-rules.ts";
import type { WireRequest } from "#kit/models/wire/wire-request.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { checkOptions, flag, type OptionRule, type OptionRules, object, required } from "#kit/schema/check-options.ts";
import { providerOfAiSdk } from "#kit/telemetry/provider-name.ts";
import { isUnsupported, toFailure } from "./ai-sdk-failure.ts";
import { toCallOptions } from "./ai-sdk-request.ts";
import { AiSdkAnswer, fromAiSdkResult } from "./ai-sdk-stream.ts";

/**
 * The members of the AI SDK's `LanguageModelV4` by which it is known. The methods are declared without their types, so
 * that the types of `fairlead/models` need no package of the SDK.
 */
export interface AiSdkLanguageModel {
  readonly specificationVersion: string;
  /** Such as `anthropic.messages`. */
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: never): PromiseLike<unknown>;
  doStream(options: never): PromiseLike<unknown>;
}

/** Options of `AiSdkModel`. */
export interface AiSdkModelOptions extends ModelProperties, Pick<ModelOptions, "retry" | "sleep"> {
  /** What a provider of the AI SDK creates, such as `createAnthropic({ apiKey })("claude-sonnet-5-5")`. */
  readonly languageModel: AiSdkLanguageModel;
  /** Options of the provider by its name, sent with each request: `{ openai: { reasoningSummary: "auto" } }`. */
  readonly providerOptions?: Readonly<Record<string, JsonObject>> | undefined;
  /** Whether the model takes a response schema and tools in one request; false by default. */
  readonly supportsOutputSchemaWithTools?: boolean | undefined;
}

const SPECIFICATION = "v4";

const languageModelRule: OptionRule = {
  must: `a language model of the AI SDK's specification ${SPECIFICATION}, which providers for AI SDK 7 create`,
  accepts: (value) => {
    if (typeof value !== "object" || value === null) return false;
    const { specificationVersion, doGenerate, doStream } = value as Partial<AiSdkLanguageModel>;
    return specificationVersion === SPECIFICATION && typeof doGenerate === "function" && typeof doStream === "function";
  },
};

const RULES: OptionRules<AiSdkModelOptions> = {
  languageModel: required(languageModelRule),
  providerOptions: object,
  supportsOutputSchemaWithTools: flag,
  retry: MODEL_OPTION_RULES.retry,
  sleep: MODEL_OPTION_RULES.sleep,
  ...MODEL_PROPERTY_RULES,
};

/**
 * A language model of the AI SDK as a model of the kit. Key, address and `fetch` are the provider's own. The kit repeats
 * requests; the SDK's own loop of repetitions is not used. The constructor throws `INVALID_FIELD`.
 */
export class AiSdkModel implements BaseLlm {
  readonly model: string;
  readonly providerName: string;
  readonly supportsOutputSchemaWithTools: boolean;
  readonly #languageModel: LanguageModelV4;
  readonly #options: AiSdkModelOptions;
  readonly #properties: AdapterProperties;

  constructor(options: AiSdkModelOptions) {
    checkOptions("new AiSdkModel", options, RULES);
    // The rule has checked the version, which stands for the type.
    this.#languageModel = options.languageModel as unknown as LanguageModelV4;
    this.model = this.#languageModel.modelId;
    this.providerName = providerOfAiSdk(this.#languageModel.provider);
    this.supportsOutputSchemaWithTools = options.supportsOutputSchemaWithTools ?? false;
    this.#options = options;
    const known = aiSdkRules(this.#languageModel.provider, this.model);
    this.#properties = new AdapterProperties("new AiSdkModel", options, known);
  }

  get properties(): ModelProperties | undefined {
    return this.#properties.given;
  }

  generateContentAsync(request: LlmRequest, options: GenerateOptions): AsyncIterable<LlmResponse> {
    const names: ProviderNames = {
      provider: `The AI SDK's ${this.#languageModel.provider}`,
      keySource: "the key that its provider was created with",
    };
    const translate = (thrown: unknown): unknown => toFailure(thrown, names);
    const rules = () => aiSdkRules(this.#languageModel.provider, request.model);
    const open = async (wire: WireRequest, signal: AbortSignal): Promise<AsyncIterable<StreamChunk>> => {
      try {
        return withFailures(await this.#open(wire, { ...options, signal }), translate);
      } catch (error) {
        throw translate(error);
      }
    };
    return callProvider({ request, rules, open, names, properties: this.#properties }, options, this.#options);
  }

  async #open(request: WireRequest, options: GenerateOptions): Promise<AsyncIterable<StreamChunk>> {
    try {
      return await this.#send(request, options, true);
    } catch (error) {
      // Which files a provider takes is known to its own code only. One that it does not take must not end the
      // conversation, whose history keeps it.
      if (!isUnsupported(error)) throw error;
      return this.#send(request, options, false);
    }
  }

  async #send(
    request: WireRequest,
    { stream, signal, logger }: GenerateOptions,
    withFiles: boolean,
  ): Promise<AsyncIterable<StreamChunk>> {
    const report = (warnings: readonly SharedV4Warning[] = []) => this.#reported(warnings, logger);
    const { provider } = this.#languageModel;
    const { providerOptions } = this.#options;
    const call: LanguageModelV4CallOptions = {
      ...toCallOptions(request, { provider, withFiles }),
      // The SDK's type differs in mutability only.
      providerOptions: withSchemaOptions(request, provider, providerOptions) as SharedV4ProviderOptions,
      abortSignal: signal,
    };
    if (!stream) {
      const result = await orAborted(this.#languageModel.doGenerate(call), signal);
      report(result.warnings);
      return asyncOf(fromAiSdkResult(result, provider));
    }
    const { stream: parts } = await orAborted(this.#languageModel.doStream(call), signal);
    return read(parts, signal, { provider, report });
  }

  /** The provider's own notes on what it did not send. */
  #reported(warnings: readonly SharedV4Warning[], logger: Logger | undefined): void {
    for (const warning of warnings) {
      if (warning.type !== "unsupported") continue;
      const { feature, details = "" } = warning;
      this.#properties.report(feature, `${feature} is not supported by the provider. ${details}`.trim(), logger);
    }
  }
}

/**
 * Packages for OpenAI's protocol ask for strict answers whatever the schema is, and servers refuse a schema that cannot be
 * held strictly.
 */
function withSchemaOptions(
  { config, strictOutput }: WireRequest,
  provider: string,
  given: Readonly<Record<string, JsonObject>> = {},
): Readonly<Record<string, JsonObject>> {
  if (config.responseSchema === undefined || strictOutput || !isOfOpenAi(provider)) return given;
  const name = provider.split(".")[0] ?? provider;
  return { ...given, [name]: { strictJsonSchema: false, ...given[name] } };
}

async function* read(
  parts: ReadableStream<LanguageModelV4StreamPart>,
  signal: AbortSignal,
  { provider, report }: { readonly provider: string; readonly report: (warnings: readonly SharedV4Warning[]) => void },
): AsyncGenerator<StreamChunk> {
  const answer = new AiSdkAnswer(provider);
  const reader = parts.getReader();
  try {
    for (;;) {
      const { done, value } = await orAborted(reader.read(), signal);
      if (done) break;
      if (value.type === "stream-start") report(value.warnings);
      const chunk = answer.add(value);
      if (chunk !== undefined) yield chunk;
    }
    yield answer.finish();
  } finally {
    // Not awaited: a model may pay no attention to it.
    reader.cancel(signal.reason).catch(() => undefined);
  }
}

/** The promise's value, or the failure with the signal's reason even if the model pays no attention to the signal. */
async function orAborted<Value>(promise: PromiseLike<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    if (signal.aborted) abort();
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

async function* asyncOf(chunks: Iterable<StreamChunk>): AsyncGenerator<StreamChunk> {
  yield* chunks;
}

async function* withFailures(
  chunks: AsyncIterable<StreamChunk>,
  translate: (thrown: unknown) => unknown,
): AsyncGenerator<StreamChunk> {
  try {
    yield* chunks;
  } catch (error) {
    throw translate(error);
  }
}
