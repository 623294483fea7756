import type { OpenAI } from "openai";
import type { BaseLlm, GenerateOptions } from "#kit/models/base-llm.ts";
import type { BaseLlmConnection, ConnectOptions } from "#kit/models/base-llm-connection.ts";
import { ResumableConnection } from "#kit/models/live/resumable-connection.ts";
import type { LlmRequest } from "#kit/models/llm-request.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import {
  ClientCache,
  findSetting,
  MODEL_OPTION_RULES,
  type ModelOptions,
  namesForCall,
} from "#kit/models/model-options.ts";
import type { ModelProperties } from "#kit/models/model-properties.ts";
import { describeFailure } from "#kit/models/provider-failure.ts";
import type { StreamChunk } from "#kit/models/stream-aggregator.ts";
import { AdapterProperties } from "#kit/models/wire/adapter-properties.ts";
import { callProvider } from "#kit/models/wire/call-provider.ts";
import { ProviderForm } from "#kit/models/wire/provider-form.ts";
import { type ProviderRules, providerRules, responsesRules } from "#kit/models/wire/provider-rules.ts";
import type { WireRequest } from "#kit/models/wire/wire-request.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { checkOptions, flag, type OptionRules, oneOf } from "#kit/schema/check-options.ts";
import { providerOfUrl } from "#kit/telemetry/provider-name.ts";
import { type ClientSettings, clientSettings, createClient, NAMES, OPENAI_URL } from "./openai-client.ts";
import { toOpenAiRequest } from "./openai-convert.ts";
import { type ReasoningRule, reasoningRuleOf } from "./openai-message.ts";
import { fromOpenAiResponse } from "./openai-stream.ts";
import { RealtimeLive } from "./realtime-live.ts";
import { fromResponses, fromResponsesStream } from "./responses-answer.ts";
import { toResponsesRequest } from "./responses-request.ts";

/** Models that refuse `max_tokens`, behind a gateway too. */
const OPENAI_MODEL = /(^|\/)(o\d|gpt-([5-9]|\d\d))/;

/** OpenAI's own API, its regions among them, however the address is written. */
function isOpenAiUrl(url: string): boolean {
  return /(^|\.)api\.openai\.com$/.test(URL.parse(url)?.hostname ?? "");
}

type OpenAiLimit = { readonly max_completion_tokens?: number; readonly max_tokens?: number };

/** `apiKey` is not needed with a `baseUrl`: local servers have no keys. */
export interface OpenAiCompatibleOptions extends ModelOptions {
  /** The API that is called: `chat` (chat completions), which all servers have, by default; or `responses`. */
  readonly api?: "chat" | "responses" | undefined;
  /**
   * With `responses`: the provider stores what it answers, and knows its reasoning by id. By default nothing is stored,
   * and the reasoning comes encrypted and goes back so.
   */
  readonly store?: boolean | undefined;
}

const RULES: OptionRules<OpenAiCompatibleOptions> = {
  ...MODEL_OPTION_RULES,
  api: oneOf("chat", "responses"),
  store: flag,
};

/**
 * Models with OpenAI's chat completions API, or its Responses API: OpenAI's own, and the models of the many servers with
 * the same protocol. Absent
 * options are `OPENAI_API_KEY` and `OPENAI_BASE_URL`. The SDK is loaded at the first call. The constructor throws
 * `INVALID_FIELD`, a call without a key `MODEL_KEY_MISSING`.
 */
export class OpenAiCompatible implements BaseLlm {
  readonly model: string;
  /** A conversation over the Realtime API; only for models with `realtime` in their names. */
  readonly connect?: NonNullable<BaseLlm["connect"]>;
  readonly supportsOutputSchemaWithTools = true;
  readonly #options: OpenAiCompatibleOptions;
  readonly #properties: AdapterProperties;
  readonly #clients: ClientCache<ClientSettings, OpenAI>;
  /** False once the server has refused encrypted reasoning: the model has none. */
  #encrypts = true;
  /** What the server's refusals have said of the reasoning in the history. */
  #reasoning: ReasoningRule = "own";

  constructor(options: OpenAiCompatibleOptions) {
    checkOptions("new OpenAiCompatible", options, RULES);
    this.model = options.model;
    this.#options = options;
    const known = options.baseUrl === undefined ? undefined : this.#rules(options.model);
    this.#properties = new AdapterProperties("new OpenAiCompatible", options, known);
    this.#clients = new ClientCache((settings) => createClient(settings, options));
    if (/realtime/.test(options.model))
      this.connect = (request, connectOptions) => this.#connect(request, connectOptions);
  }

  get providerName(): string {
    return providerOfUrl(this.#baseUrl());
  }

  generateContentAsync(request: LlmRequest, options: GenerateOptions): AsyncIterable<LlmResponse> {
    const names = namesForCall(NAMES, this.#options);
    const rules = () => this.#rules(request.model);
    const open = async (wire: WireRequest, signal: AbortSignal): Promise<AsyncIterable<StreamChunk>> => {
      const settings = clientSettings(this.#options);
      names.secrets.add(settings.apiKey);
      if (this.#options.api === "responses")
        return this.#openResponses(wire, settings, { signal, stream: options.stream });
      try {
        return await this.#open(wire, settings, { signal, stream: options.stream });
      } catch (error) {
        const { status, message } = describeFailure(error);
        const rule = reasoningRuleOf(status, message);
        if (rule === undefined || rule === this.#reasoning) throw error;
        this.#reasoning = rule;
        return this.#open(wire, settings, { signal, stream: options.stream });
      }
    };
    return callProvider({ request, rules, open, names, properties: this.#properties }, options, this.#options);
  }

  async #open(
    request: WireRequest,
    settings: ClientSettings,
    { signal, stream }: GenerateOptions,
  ): Promise<AsyncIterable<StreamChunk>> {
    const { chat } = await this.#clients.get(settings);
    const parameters = {
      ...toOpenAiRequest(request, this.#reasoning),
      ...topKFor(settings.baseUrl, request),
      ...lengthLimit(settings.baseUrl, request),
    };
    const streamed = stream
      ? { stream: true as const, stream_options: { include_usage: true } }
      : { stream: false as const };
    const response = await chat.completions.create({ ...parameters, ...streamed }, { signal }).asResponse();
    return fromOpenAiResponse(
      response,
      request.functionDeclarations.map(({ name }) => name),
    );
  }

  async #openResponses(
    request: WireRequest,
    settings: ClientSettings,
    { signal, stream }: GenerateOptions,
  ): Promise<AsyncIterable<StreamChunk>> {
    const { responses } = await this.#clients.get(settings);
    const { store = false } = this.#options;
    const send = async (): Promise<AsyncIterable<StreamChunk>> => {
      const parameters = toResponsesRequest(request, { store, encrypts: this.#encrypts });
      if (stream) return fromResponsesStream(await responses.create({ ...parameters, stream: true }, { signal }));
      return fromResponses(await responses.create({ ...parameters, stream: false }, { signal }));
    };
    try {
      return await send();
    } catch (error) {
      const { status, message } = describeFailure(error);
      if (!this.#encrypts || status !== 400 || !/encrypted/i.test(message)) throw error;
      this.#encrypts = false;
      return send();
    }
  }

  #connect(request: LlmRequest, { config, signal }: ConnectOptions): Promise<BaseLlmConnection> {
    const { headers, sleep } = this.#options;
    const { model } = request;
    const names = namesForCall({ ...NAMES, provider: "OpenAI" }, this.#options);
    const client = (): Promise<OpenAI> => {
      const settings = clientSettings(this.#options);
      names.secrets.add(settings.apiKey);
      return this.#clients.get(settings);
    };
    const rules = providerRules("openai", model);
    const form = new ProviderForm(request, rules, this.#properties.settingsOf(request, rules, {}));
    const provider = new RealtimeLive({ model, form, config, names, client, headers, clock: systemClock });
    return ResumableConnection.open({ provider, history: request.contents, signal }, { sleep });
  }

  get properties(): ModelProperties | undefined {
    return this.#properties.given;
  }

  assertConfigured(): void {
    clientSettings(this.#options);
  }

  #rules(model: string): ProviderRules {
    const url = this.#baseUrl();
    const rules = isOpenAiUrl(url)
      ? providerRules("openai", model)
      : providerRules("openai-compatible", model, URL.parse(url)?.hostname);
    return this.#options.api === "responses" ? responsesRules(rules) : rules;
  }

  #baseUrl(): string {
    return findSetting(this.#options.baseUrl, this.#options, "OPENAI_BASE_URL") ?? OPENAI_URL;
  }
}

/**
 * `top_k` is not a parameter of OpenAI's own API, which refuses requests that contain it; the other servers of the
 * protocol (vLLM, Ollama, OpenRouter and others) accept it in addition to the protocol's own parameters.
 */
export function topKFor(baseUrl: string, { config }: Pick<WireRequest, "config">): { readonly top_k?: number } {
  return config.topK === undefined || isOpenAiUrl(baseUrl) ? {} : { top_k: config.topK };
}

/** OpenAI's name for the limit is refused by Mistral, and ignored by others; its models refuse the older name. */
function lengthLimit(baseUrl: string, { model, config }: WireRequest): OpenAiLimit {
  const { maxOutputTokens } = config;
  if (maxOutputTokens === undefined) return {};
  const isOpenAi = /^https:\/\/(api\.openai\.com|[^/]+\.azure\.com)(\/|$)/i.test(baseUrl) || OPENAI_MODEL.test(model);
  return isOpenAi ? { max_completion_tokens: maxOutputTokens } : { max_tokens: maxOutputTokens };
}
