import type { GenerateContentResponse, GoogleGenAI } from "@google/genai";
import type { BaseLlm, GenerateOptions } from "./base-llm.ts";
import { callProvider } from "./call-provider.ts";
import type { ProviderNames } from "./error-mapper.ts";
import { fromGeminiResponse, toGeminiRequest } from "./gemini-convert.ts";
import type { LlmRequest } from "./llm-request.ts";
import type { LlmResponse } from "./llm-response.ts";
import { ClientCache, findSetting, keyMissing, type ModelOptions } from "./model-options.ts";
import type { StreamPiece } from "./stream-aggregator.ts";

export interface GeminiModelOptions extends ModelOptions {
  /** Calls the model through Vertex AI, with the process's Google credentials instead of a key. */
  readonly vertexAi?: { readonly project: string; readonly location?: string };
}

const NAMES: ProviderNames = { provider: "Gemini", keyVariable: "GOOGLE_API_KEY" };
const DEFAULT_LOCATION = "global";

interface ClientSettings {
  readonly apiKey?: string;
  readonly project?: string;
  readonly location?: string;
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

async function createClient(
  { apiKey, project, location, baseUrl }: ClientSettings,
  { headers }: GeminiModelOptions,
): Promise<GoogleGenAI> {
  const { GoogleGenAI } = await import("@google/genai");
  const backend =
    project === undefined
      ? { vertexai: false, apiKey: apiKey ?? "" }
      : { vertexai: true, project, location: location ?? DEFAULT_LOCATION };
  return new GoogleGenAI({
    ...backend,
    httpOptions: {
      ...(baseUrl !== undefined && { baseUrl }),
      ...(headers !== undefined && { headers: { ...headers } }),
    },
  });
}

async function* convertAll(
  responses: AsyncIterable<GenerateContentResponse> | Iterable<GenerateContentResponse>,
): AsyncIterable<StreamPiece> {
  for await (const response of responses) yield fromGeminiResponse(response);
}
