import type { Anthropic } from "@anthropic-ai/sdk";
import { MessageConversionException } from "#kit/errors/kit-errors.ts";
import type { BaseLlm, GenerateOptions } from "#kit/models/base-llm.ts";
import { providerFetch } from "#kit/models/bounds/provider-fetch.ts";
import type { ProviderNames } from "#kit/models/error-mapper.ts";
import type { LlmRequest } from "#kit/models/llm-request.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import {
  ClientCache,
  findSetting,
  keyMissing,
  MODEL_OPTION_RULES,
  type ModelOptions,
  namesForCall,
} from "#kit/models/model-options.ts";
import type { ModelProperties } from "#kit/models/model-properties.ts";
import { describeFailure } from "#kit/models/provider-failure.ts";
import type { StreamChunk } from "#kit/models/stream-aggregator.ts";
import { AdapterProperties } from "#kit/models/wire/adapter-properties.ts";
import { callProvider } from "#kit/models/wire/call-provider.ts";
import { providerRules } from "#kit/models/wire/provider-rules.ts";
import type { WireRequest } from "#kit/models/wire/wire-request.ts";
import { importOptional } from "#kit/optional-packages/optional-package.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { checkOptions } from "#kit/schema/check-options.ts";
import { withCacheBreakpoints } from "./claude-cache.ts";
import { toClaudeRequest } from "./claude-convert.ts";
import { fromClaudeResponse } from "./claude-stream.ts";

const NAMES: ProviderNames = { provider: "Claude", keySource: "ANTHROPIC_API_KEY" };
const ANTHROPIC_URL = "https://api.anthropic.com";

interface ClientSettings {
  readonly apiKey: string;
  readonly baseUrl: string;
}

/** Options of `Claude`. */
export type ClaudeOptions = ModelOptions;

/**
 * Claude models, through Anthropic's messages API. Always streams from the provider, because the API refuses long
 * answers otherwise. Absent options are `ANTHROPIC_API_KEY` and `ANTHROPIC_BASE_URL`. The SDK is loaded at the first
 * call. The constructor throws `INVALID_FIELD`, a call without a key `MODEL_KEY_MISSING`.
 */
export class Claude implements BaseLlm {
  readonly model: string;
  readonly providerName = "anthropic";
  readonly supportsOutputSchemaWithTools = true;
  readonly #options: ClaudeOptions;
  readonly #properties: AdapterProperties;
  readonly #clients: ClientCache<ClientSettings, Anthropic>;

  constructor(options: ClaudeOptions) {
    checkOptions("new Claude", options, MODEL_OPTION_RULES);
    this.model = options.model;
    this.#options = options;
    this.#properties = new AdapterProperties("new Claude", options, providerRules("claude", options.model));
    this.#clients = new ClientCache((settings) => createClient(settings, options));
  }

  generateContentAsync(request: LlmRequest, options: GenerateOptions): AsyncIterable<LlmResponse> {
    const names = namesForCall(NAMES, this.#options);
    const rules = () => providerRules("claude", request.model);
    const open = async (wire: WireRequest, signal: AbortSignal): Promise<AsyncIterable<StreamChunk>> => {
      const settings = this.#settings();
      names.secrets.add(settings.apiKey);
      return this.#open(wire, settings, signal);
    };
    return callProvider({ request, rules, open, names, properties: this.#properties }, options, this.#options);
  }

  async #open(
    request: WireRequest,
    settings: ClientSettings,
    signal: AbortSignal,
  ): Promise<AsyncIterable<StreamChunk>> {
    const { messages } = await this.#clients.get(settings);
    const parameters = toClaudeRequest(request, await outputSchema(request));
    const { contextCache } = request;
    if (contextCache === undefined)
      return fromClaudeResponse(await messages.create(parameters, { signal }).asResponse());
    try {
      return fromClaudeResponse(
        await messages.create(withCacheBreakpoints(parameters, contextCache), { signal }).asResponse(),
      );
    } catch (error) {
      const { status, message } = describeFailure(error);
      if (status !== 400 || !message.includes("cache")) throw error;
      contextCache.onFailure(error);
      return fromClaudeResponse(await messages.create(parameters, { signal }).asResponse());
    }
  }

  get properties(): ModelProperties | undefined {
    return this.#properties.given;
  }

  assertConfigured(): void {
    this.#settings();
  }

  #settings(): ClientSettings {
    const { apiKey, baseUrl } = this.#options;
    const key = findSetting(apiKey, this.#options, "ANTHROPIC_API_KEY");
    if (key === undefined) throw keyMissing(this.#options, "Anthropic", "ANTHROPIC_API_KEY.");
    return { apiKey: key, baseUrl: findSetting(baseUrl, this.#options, "ANTHROPIC_BASE_URL") ?? ANTHROPIC_URL };
  }
}

async function createClient({ apiKey, baseUrl }: ClientSettings, { headers }: ModelOptions): Promise<Anthropic> {
  const { Anthropic } = await importOptional({
    name: "@anthropic-ai/sdk",
    user: "Claude models",
    load: () => import("@anthropic-ai/sdk"),
  });
  return new Anthropic({
    apiKey,
    baseURL: baseUrl,
    fetch: providerFetch,
    defaultHeaders: { ...headers },
    // The kit repeats requests and reports failures itself.
    maxRetries: 0,
    logLevel: "off",
  });
}

async function outputSchema({ config }: WireRequest): Promise<JsonObject | undefined> {
  if (config.responseSchema === undefined) return undefined;
  const { transformJSONSchema } = await import("@anthropic-ai/sdk/lib/transform-json-schema");
  try {
    return transformJSONSchema({ ...config.responseSchema });
  } catch (error) {
    throw new MessageConversionException(
      "The output schema cannot be converted to the form that Claude accepts.",
      error,
    );
  }
}
