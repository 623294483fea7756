import type { GenerateContentResponse, GoogleGenAI, GoogleGenAIOptions } from "@google/genai";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { CacheMetadata } from "#kit/events/cache-metadata.ts";
import type { BaseLlm, GenerateOptions } from "#kit/models/base-llm.ts";
import type { BaseLlmConnection, ConnectOptions } from "#kit/models/base-llm-connection.ts";
import { ModelError, type ProviderNames } from "#kit/models/error-mapper.ts";
import { ResumableConnection } from "#kit/models/live/resumable-connection.ts";
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
import { ProviderForm } from "#kit/models/wire/provider-form.ts";
import { providerRules } from "#kit/models/wire/provider-rules.ts";
import type { WireRequest } from "#kit/models/wire/wire-request.ts";
import { type Clock, systemClock } from "#kit/platform/clock.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { checkOptions, clock, type OptionRules, object, record, required, text } from "#kit/schema/check-options.ts";
import { type CachedPrompt, GeminiCache } from "./gemini-cache.ts";
import { fromGeminiResponse, toGeminiRequest } from "./gemini-convert.ts";
import { GeminiLive } from "./gemini-live.ts";
import { geminiFetch, importGoogleGenAi, usesVertexAi } from "./google-genai.ts";

/** Where and as whom `Gemini` calls Vertex AI. */
export interface VertexAiOptions {
  /** The Google Cloud project. */
  readonly project: string;
  /** The region, such as `europe-west1`; `global` by default. */
  readonly location?: string | undefined;
  /** A service account's key or another credentials object of Google; without it the process's own credentials. */
  readonly googleCredentials?: JsonObject | undefined;
}

/** Options of `Gemini`. */
export interface GeminiOptions extends ModelOptions {
  /** Calls the model through Vertex AI instead of the Gemini API, without `apiKey`. */
  readonly vertexAi?: VertexAiOptions | undefined;
  /** Used to decide which caches have expired. */
  readonly clock?: Clock | undefined;
}

const RULES: OptionRules<GeminiOptions> = {
  ...MODEL_OPTION_RULES,
  vertexAi: record<VertexAiOptions>({ project: required(text), location: text, googleCredentials: object }),
  clock,
};

const NAMES: ProviderNames = { provider: "Gemini", keySource: "GOOGLE_API_KEY" };
const DEFAULT_LOCATION = "global";
// The stable version of the Gemini API refuses system instructions, tools and files.
const API_VERSION = "v1beta";

/** Members of Google's credentials objects that are secret. */
const SECRET_MEMBERS = ["private_key", "client_secret", "refresh_token"] as const;

/** Status codes of the API if a cache is unknown, expired or does not match. */
const CACHE_REFUSED = new Set([400, 403, 404]);

interface ClientSettings {
  readonly apiKey?: string | undefined;
  readonly project?: string | undefined;
  readonly location?: string | undefined;
  readonly googleCredentials?: JsonObject | undefined;
  readonly baseUrl?: string | undefined;
}

/**
 * Gemini models, through the Gemini API or Vertex AI. Without `apiKey` and `vertexAi` the variables decide:
 * `GOOGLE_GENAI_USE_VERTEXAI=true` (or `GOOGLE_GENAI_USE_ENTERPRISE`) with `GOOGLE_CLOUD_PROJECT` and
 * `GOOGLE_CLOUD_LOCATION`, or else `GOOGLE_API_KEY`, `GEMINI_API_KEY` or `GOOGLE_GENAI_API_KEY`. The SDK is loaded at the first call. The constructor throws `INVALID_FIELD`, a call without a key
 * `MODEL_KEY_MISSING`.
 */
export class Gemini implements BaseLlm {
  readonly model: string;
  /** Before Gemini 3 a model cannot combine a response schema and tools. */
  readonly supportsOutputSchemaWithTools: boolean;
  readonly #options: GeminiOptions;
  readonly #properties: AdapterProperties;
  readonly #cache: GeminiCache;
  readonly #clients: ClientCache<ClientSettings, GoogleGenAI>;

  constructor(options: GeminiOptions) {
    checkOptions("new Gemini", options, RULES);
    if (options.apiKey !== undefined && options.vertexAi !== undefined)
      throw new PlatformError("INVALID_FIELD", "new Gemini: give either apiKey or vertexAi, not both.", {
        details: { field: "apiKey" },
      });
    this.model = options.model;
    this.supportsOutputSchemaWithTools = !/gemini-[12][.-]/.test(options.model);
    this.#options = options;
    this.#properties = new AdapterProperties("new Gemini", options, providerRules("vertex", options.model));
    this.#cache = new GeminiCache(options.clock ?? systemClock);
    this.#clients = new ClientCache((settings) => createClient(settings, options));
  }

  get providerName(): string {
    return this.#isVertexAi() ? "gcp.vertex_ai" : "gcp.gemini";
  }

  generateContentAsync(request: LlmRequest, options: GenerateOptions): AsyncIterable<LlmResponse> {
    const { contextCache } = request;
    const names = namesForCall(NAMES, this.#options);
    let prompt: Promise<CachedPrompt> | undefined;
    const rules = () => providerRules(this.#isVertexAi() ? "vertex" : "gemini", request.model);
    const open = async (wire: WireRequest, signal: AbortSignal): Promise<AsyncIterable<StreamChunk>> => {
      const settings = this.#settings();
      names.secrets.add(settings.apiKey, ...SECRET_MEMBERS.map((name) => settings.googleCredentials?.[name]));
      const client = await this.#clients.get(settings);
      const parameters = toGeminiRequest(wire, { vertexAi: settings.project !== undefined }, signal);
      if (contextCache === undefined) return send(client, { parameters }, options);
      // Built once for all repetitions of the request.
      prompt ??= this.#cache.apply(parameters, contextCache, client.caches);
      const cached = await prompt;
      if (cached.metadata.cacheName === undefined) return send(client, cached, options);
      try {
        return await send(client, cached, options);
      } catch (error) {
        if (!CACHE_REFUSED.has(describeFailure(error).status ?? 0)) throw error;
        const whole = this.#cache.withoutCache(parameters, contextCache, error);
        prompt = Promise.resolve(whole);
        return send(client, whole, options);
      }
    };
    return callProvider({ request, rules, open, names, properties: this.#properties }, options, this.#options);
  }

  /**
   * A conversation over the Live API. It outlives the API's connections of about ten minutes: with the session's handle,
   * or with the conversation as text.
   */
  connect(request: LlmRequest, { config, resumption, signal }: ConnectOptions): Promise<BaseLlmConnection> {
    const names = namesForCall(NAMES, this.#options);
    const vertexAi = this.#isVertexAi();
    const client = (): Promise<GoogleGenAI> => {
      const settings = this.#settings();
      names.secrets.add(settings.apiKey, ...SECRET_MEMBERS.map((name) => settings.googleCredentials?.[name]));
      return this.#clients.get(settings);
    };
    const rules = providerRules(vertexAi ? "vertex" : "gemini", request.model);
    const form = new ProviderForm(request, rules, this.#properties.settingsOf(request, rules, {}));
    const provider = new GeminiLive({ model: request.model, vertexAi, form, config, names, client });
    const given = config.sessionResumption?.["handle"];
    const own = typeof given === "string" && given !== "" ? { handle: given, model: request.model } : undefined;
    const conversation = { provider, history: request.contents, resumption: resumption ?? own, signal };
    return ResumableConnection.open(conversation, { sleep: this.#options.sleep, clock: this.#options.clock });
  }

  get properties(): ModelProperties | undefined {
    return this.#properties.given;
  }

  assertConfigured(): void {
    this.#settings();
  }

  #isVertexAi(): boolean {
    const { apiKey, vertexAi } = this.#options;
    if (vertexAi !== undefined || apiKey !== undefined) return vertexAi !== undefined;
    return usesVertexAi((variable) => findSetting(undefined, this.#options, variable));
  }

  #settings(): ClientSettings {
    const { apiKey, vertexAi, baseUrl } = this.#options;
    if (vertexAi !== undefined) return { ...vertexAi, location: vertexAi.location ?? DEFAULT_LOCATION, baseUrl };
    if (apiKey !== undefined) return { apiKey, baseUrl };
    if (this.#isVertexAi()) return { ...this.#vertexFromCredentials(), baseUrl };
    const key = findSetting(undefined, this.#options, "GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_GENAI_API_KEY");
    if (key === undefined) throw keyMissing(this.#options, "the Gemini API", "GOOGLE_API_KEY or GEMINI_API_KEY.");
    return { apiKey: key, baseUrl };
  }

  #vertexFromCredentials(): ClientSettings {
    const project = findSetting(undefined, this.#options, "GOOGLE_CLOUD_PROJECT");
    const location = findSetting(undefined, this.#options, "GOOGLE_CLOUD_LOCATION") ?? DEFAULT_LOCATION;
    if (project === undefined) throw keyMissing(this.#options, "Vertex AI", "GOOGLE_CLOUD_PROJECT.");
    return { project, location };
  }
}

async function createClient(settings: ClientSettings, { headers }: GeminiOptions): Promise<GoogleGenAI> {
  const { GoogleGenAI } = await importGoogleGenAi();
  const { baseUrl } = settings;
  return new GoogleGenAI({
    ...(settings.project === undefined ? geminiApi(settings) : vertexAi(settings)),
    httpOptions: {
      fetch: geminiFetch,
      baseUrl,
      headers: { ...headers },
    },
  });
}

function geminiApi({ apiKey = "" }: ClientSettings): GoogleGenAIOptions {
  return { vertexai: false, apiKey, apiVersion: API_VERSION };
}

function vertexAi({
  project = "",
  location = DEFAULT_LOCATION,
  googleCredentials,
}: ClientSettings): GoogleGenAIOptions {
  return {
    vertexai: true,
    project,
    location,
    googleAuthOptions: googleCredentials && { credentials: { ...googleCredentials } },
  };
}

/** A request, and the metadata of its cache. */
type Prompt = Pick<CachedPrompt, "parameters"> & Partial<CachedPrompt>;

async function send(
  { models }: GoogleGenAI,
  { parameters, metadata }: Prompt,
  { stream }: GenerateOptions,
): Promise<AsyncIterable<StreamChunk>> {
  const responses = stream
    ? await models.generateContentStream(parameters)
    : [await models.generateContent(parameters)];
  return convertAll(responses, metadata, stream);
}

async function* convertAll(
  responses: AsyncIterable<GenerateContentResponse> | Iterable<GenerateContentResponse>,
  cacheMetadata: CacheMetadata | undefined,
  stream: boolean,
): AsyncIterable<StreamChunk> {
  if (cacheMetadata !== undefined) yield { cacheMetadata };
  let isComplete = !stream;
  let hasContent = false;
  for await (const response of responses) {
    const chunk = fromGeminiResponse(response);
    hasContent ||= chunk.content !== undefined;
    isComplete ||= chunk.finishReason !== undefined || chunk.errorCode !== undefined;
    yield chunk;
  }
  // An answer without content is repeated anyway.
  if (hasContent && !isComplete) throw new ModelError("SERVER_ERROR", "Gemini's answer ended before it was complete.");
}
