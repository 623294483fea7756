import type { GenerateContentResponse, GoogleGenAI, GoogleGenAIOptions } from "@google/genai";
import type { JsonObject } from "../platform/json.ts";
import type { BaseLlm, GenerateOptions } from "./base-llm.ts";
import { callProvider } from "./call-provider.ts";
import type { ProviderNames } from "./error-mapper.ts";
import { fromGeminiResponse, toGeminiRequest } from "./gemini-convert.ts";
import type { LlmRequest } from "./llm-request.ts";
import type { LlmResponse } from "./llm-response.ts";
import { ClientCache, findSetting, keyMissing, type ModelOptions } from "./model-options.ts";
import type { StreamPiece } from "./stream-aggregator.ts";

export interface VertexAiOptions {
  readonly project: string;
  readonly location?: string;
  /** A service account's key or another credentials object of Google; without it the process's own credentials. */
  readonly googleCredentials?: JsonObject;
}

export interface GeminiModelOptions extends ModelOptions {
  /** Calls the model through Vertex AI instead of the Gemini API. */
  readonly vertexAi?: VertexAiOptions;
}

const NAMES: ProviderNames = { provider: "Gemini", keyVariable: "GOOGLE_API_KEY" };
const DEFAULT_LOCATION = "global";
// The stable version of the Gemini API refuses system instructions, tools and files.
const API_VERSION = "v1beta";

interface ClientSettings {
  readonly apiKey?: string;
  readonly project?: string;
  readonly location?: string;
  readonly googleCredentials?: JsonObject;
  readonly baseUrl?: string;
}

/** Gemini models, through the Gemini API or Vertex AI. */
export class GeminiModel implements BaseLlm {
  readonly model: string;
  /** Before Gemini 3 an answer by schema and tools exclude each other. */
  readonly supportsOutputSchemaWithTools: boolean;
  readonly #options: GeminiModelOptions;
  readonly #clients: ClientCache<ClientSettings, GoogleGenAI>;

  constructor(model: string, options: GeminiModelOptions = {}) {
    this.model = model;
    this.supportsOutputSchemaWithTools = !/gemini-[12][.-]/.test(model);
    this.#options = options;
    this.#clients = new ClientCache((settings) => createClient(settings, options));
  }

  generateContentAsync(request: LlmRequest, options: GenerateOptions): AsyncIterable<LlmResponse> {
    return callProvider((signal) => this.#open(request, options.stream, signal), NAMES, options, this.#options);
  }

  async #open(request: LlmRequest, stream: boolean, signal: AbortSignal): Promise<AsyncIterable<StreamPiece>> {
    const settings = this.#settings();
    const { models } = await this.#clients.get(settings);
    const parameters = toGeminiRequest(request, { vertexAi: settings.project !== undefined }, signal);
    return convertAll(
      stream ? await models.generateContentStream(parameters) : [await models.generateContent(parameters)],
    );
  }

  #settings(): ClientSettings {
    const { apiKey, vertexAi, baseUrl } = this.#options;
    const reached = baseUrl === undefined ? {} : { baseUrl };
    if (vertexAi !== undefined) return { location: DEFAULT_LOCATION, ...vertexAi, ...reached };
    if (/^(true|1)$/i.test(findSetting(undefined, this.#options, "GOOGLE_GENAI_USE_VERTEXAI") ?? "")) {
      return { ...this.#vertexFromCredentials(), ...reached };
    }
    const key = findSetting(apiKey, this.#options, "GOOGLE_API_KEY", "GEMINI_API_KEY");
    if (key === undefined) throw keyMissing(this.model, "the Gemini API", "set GOOGLE_API_KEY or GEMINI_API_KEY.");
    return { apiKey: key, ...reached };
  }

  #vertexFromCredentials(): ClientSettings {
    const project = findSetting(undefined, this.#options, "GOOGLE_CLOUD_PROJECT");
    const location = findSetting(undefined, this.#options, "GOOGLE_CLOUD_LOCATION") ?? DEFAULT_LOCATION;
    if (project === undefined) throw keyMissing(this.model, "Vertex AI", "set GOOGLE_CLOUD_PROJECT.");
    return { project, location };
  }
}

async function createClient(settings: ClientSettings, { headers }: GeminiModelOptions): Promise<GoogleGenAI> {
  const { GoogleGenAI } = await import("@google/genai");
  const { baseUrl } = settings;
  return new GoogleGenAI({
    ...(settings.project === undefined ? geminiApi(settings) : vertexAi(settings)),
    httpOptions: {
      ...(baseUrl !== undefined && { baseUrl }),
      ...(headers !== undefined && { headers: { ...headers } }),
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
    ...(googleCredentials !== undefined && { googleAuthOptions: { credentials: { ...googleCredentials } } }),
  };
}

async function* convertAll(
  responses: AsyncIterable<GenerateContentResponse> | Iterable<GenerateContentResponse>,
): AsyncIterable<StreamPiece> {
  for await (const response of responses) yield fromGeminiResponse(response);
}
