import type { GoogleGenAI } from "@google/genai";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Embedder } from "#kit/memory/embedder.ts";
import {
  ClientCache,
  findSetting,
  keyMissing,
  MODEL_OPTION_RULES,
  type ModelOptions,
} from "#kit/models/model-options.ts";
import { checkOptions, integer, type OptionRules } from "#kit/schema/check-options.ts";
import { geminiFetch, importGoogleGenAi } from "./google-genai.ts";

/** Options of a `GeminiEmbedder`. Without a key or credentials it reads the variables of the Gemini models. */
export interface GeminiEmbedderOptions extends Pick<ModelOptions, "model" | "apiKey" | "baseUrl" | "credentials"> {
  /** Length of the vectors, 768 by default. Firestore indexes at most 2,048. */
  readonly dimensions?: number | undefined;
}

const { model, apiKey, baseUrl, credentials } = MODEL_OPTION_RULES;
const RULES: OptionRules<GeminiEmbedderOptions> = { model, apiKey, baseUrl, credentials, dimensions: integer(1) };

export const DEFAULT_EMBEDDING_DIMENSIONS = 768;
/** The most texts that the Gemini API takes in one request. */
const MAX_TEXTS = 100;
const API_VERSION = "v1beta";
const TASKS = { document: "RETRIEVAL_DOCUMENT", query: "RETRIEVAL_QUERY" } as const;

interface ClientSettings {
  readonly apiKey: string;
  readonly baseUrl: string | undefined;
}

/** Embedding models of the Gemini API. The key is looked up at each call. The constructor throws `INVALID_FIELD`. */
export class GeminiEmbedder implements Embedder {
  readonly model: string;
  readonly #options: GeminiEmbedderOptions;
  readonly #clients = new ClientCache<ClientSettings, GoogleGenAI>(createClient);

  constructor(options: GeminiEmbedderOptions) {
    checkOptions("new GeminiEmbedder", options, RULES);
    this.model = options.model;
    this.#options = options;
  }

  async embed(texts: readonly string[], kind: "document" | "query"): Promise<readonly (readonly number[])[]> {
    const { models } = await this.#clients.get(this.#settings());
    const { dimensions = DEFAULT_EMBEDDING_DIMENSIONS } = this.#options;
    const vectors: (readonly number[])[] = [];
    for (let start = 0; start < texts.length; start += MAX_TEXTS) {
      const contents = texts.slice(start, start + MAX_TEXTS);
      const config = { taskType: TASKS[kind], outputDimensionality: dimensions };
      const { embeddings = [] } = await models.embedContent({ model: this.model, contents, config });
      vectors.push(...embeddings.map(({ values = [] }) => values));
    }
    if (vectors.length === texts.length && vectors.every(({ length }) => length === dimensions)) return vectors;
    throw new PlatformError("MODEL_UNAVAILABLE", `Model "${this.model}" did not give one vector for each text.`);
  }

  #settings(): ClientSettings {
    const { apiKey, baseUrl } = this.#options;
    const key = findSetting(apiKey, this.#options, "GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_GENAI_API_KEY");
    if (key === undefined) throw keyMissing(this.#options, "the Gemini API", "GOOGLE_API_KEY or GEMINI_API_KEY.");
    return { apiKey: key, baseUrl };
  }
}

async function createClient({ apiKey, baseUrl }: ClientSettings): Promise<GoogleGenAI> {
  const { GoogleGenAI: Client } = await importGoogleGenAi();
  const httpOptions = { fetch: geminiFetch, baseUrl };
  return new Client({ apiKey, apiVersion: API_VERSION, httpOptions });
}
