import type { GoogleGenAI } from "@google/genai";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Embedder } from "#kit/memory/embedder.ts";
import { ClientCache, findSetting, keyMissing, type ModelOptions } from "#kit/models/model-options.ts";
import { importGoogleGenAi } from "./google-genai.ts";

export interface GeminiEmbedderOptions extends Pick<ModelOptions, "apiKey" | "baseUrl" | "credentials"> {
  /** Length of the vectors. Firestore indexes at most 2,048. */
  readonly dimensions?: number;
}

export const DEFAULT_EMBEDDING_DIMENSIONS = 768;
/** The most texts that the Gemini API takes in one request. */
const MAX_TEXTS = 100;
const API_VERSION = "v1beta";
const TASKS = { document: "RETRIEVAL_DOCUMENT", query: "RETRIEVAL_QUERY" } as const;

/** Embedding models of the Gemini API. The key is looked up at each call. */
export class GeminiEmbedder implements Embedder {
  readonly model: string;
  readonly #options: GeminiEmbedderOptions;
  readonly #clients = new ClientCache<{ apiKey: string; baseUrl?: string }, GoogleGenAI>(createClient);

  constructor(model: string, options: GeminiEmbedderOptions = {}) {
    this.model = model;
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

  #settings(): { apiKey: string; baseUrl?: string } {
    const { apiKey, baseUrl } = this.#options;
    const key = findSetting(apiKey, this.#options, "GOOGLE_API_KEY", "GEMINI_API_KEY");
    if (key === undefined) throw keyMissing(this.model, "the Gemini API", "set GOOGLE_API_KEY or GEMINI_API_KEY.");
    return { apiKey: key, ...(baseUrl !== undefined && { baseUrl }) };
  }
}

async function createClient({ apiKey, baseUrl }: { apiKey: string; baseUrl?: string }): Promise<GoogleGenAI> {
  const { GoogleGenAI: Client } = await importGoogleGenAi();
  return new Client({ apiKey, apiVersion: API_VERSION, ...(baseUrl !== undefined && { httpOptions: { baseUrl } }) });
}
