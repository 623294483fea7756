import type { OpenAI } from "openai";
import type { BaseLlm, GenerateOptions } from "#kit/models/base-llm.ts";
import { callProvider } from "#kit/models/call-provider.ts";
import type { ProviderNames } from "#kit/models/error-mapper.ts";
import type { LlmRequest } from "#kit/models/llm-request.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { ClientCache, findSetting, keyMissing, type ModelOptions } from "#kit/models/model-options.ts";
import type { StreamChunk } from "#kit/models/stream-aggregator.ts";
import { toOpenAiRequest } from "./openai-convert.ts";
import { fromOpenAiCompletion, fromOpenAiStream } from "./openai-stream.ts";

const NAMES: ProviderNames = { provider: "The OpenAI-compatible server", keyVariable: "OPENAI_API_KEY" };
const OPENAI_URL = "https://api.openai.com/v1";
// The SDK requires a key; local servers ignore it.
const NO_KEY = "none";

interface ClientSettings {
  readonly apiKey: string;
  readonly baseUrl: string;
}

/** Models behind OpenAI's chat completions: OpenAI's own, and those of the many servers with the same protocol. */
export class OpenAiCompatibleModel implements BaseLlm {
  readonly model: string;
  readonly supportsOutputSchemaWithTools = true;
  readonly #options: ModelOptions;
  readonly #clients: ClientCache<ClientSettings, OpenAI>;

  constructor(model: string, options: ModelOptions = {}) {
    this.model = model;
    this.#options = options;
    this.#clients = new ClientCache((settings) => createClient(settings, options));
  }

  generateContentAsync(request: LlmRequest, options: GenerateOptions): AsyncIterable<LlmResponse> {
    return callProvider((signal) => this.#open(request, options.stream, signal), NAMES, options, this.#options);
  }

  async #open(request: LlmRequest, stream: boolean, signal: AbortSignal): Promise<AsyncIterable<StreamChunk>> {
    const settings = this.#settings();
    const { chat } = await this.#clients.get(settings);
    const parameters = { ...toOpenAiRequest(request), ...topKFor(settings.baseUrl, request) };
    if (!stream)
      return asyncOf(fromOpenAiCompletion(await chat.completions.create({ ...parameters, stream: false }, { signal })));
    return fromOpenAiStream(
      await chat.completions.create(
        { ...parameters, stream: true, stream_options: { include_usage: true } },
        { signal },
      ),
    );
  }

  #settings(): ClientSettings {
    const { apiKey, baseUrl } = this.#options;
    const url = findSetting(baseUrl, this.#options, "OPENAI_BASE_URL");
    const key = findSetting(apiKey, this.#options, "OPENAI_API_KEY") ?? (url === undefined ? undefined : NO_KEY);
    if (key === undefined)
      throw keyMissing(
        this.model,
        "OpenAI",
        "set OPENAI_API_KEY, or OPENAI_BASE_URL for a compatible server that needs none.",
      );
    return { apiKey: key, baseUrl: url ?? OPENAI_URL };
  }
}

/**
 * `top_k` is no parameter of OpenAI's own API, which refuses requests that contain it; the other servers of the
 * protocol (vLLM, Ollama, OpenRouter and others) accept it in addition to the protocol's own parameters.
 */
export function topKFor(baseUrl: string, { config }: LlmRequest): { readonly top_k?: number } {
  return config.topK === undefined || baseUrl === OPENAI_URL ? {} : { top_k: config.topK };
}

async function createClient({ apiKey, baseUrl }: ClientSettings, { headers }: ModelOptions): Promise<OpenAI> {
  const { OpenAI } = await import("openai");
  return new OpenAI({
    apiKey,
    baseURL: baseUrl,
    ...(headers !== undefined && { defaultHeaders: { ...headers } }),
    // The kit repeats requests and reports failures itself.
    maxRetries: 0,
    logLevel: "off",
  });
}

async function* asyncOf(chunks: Iterable<StreamChunk>): AsyncIterable<StreamChunk> {
  yield* chunks;
}
