import { isGemini, ModelTool } from "#kit/core/model-tool.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { present } from "#kit/platform/members.ts";

/** Options of a `VertexAiSearchTool`. */
export interface VertexAiSearchToolOptions {
  /** `projects/…/collections/…/dataStores/…`. Either this or `searchEngineId`. */
  readonly dataStoreId?: string;
  /** `projects/…/collections/…/engines/…`. */
  readonly searchEngineId?: string;
  /** Which stores of the engine are searched, and with which settings. */
  readonly dataStoreSpecs?: readonly JsonObject[];
  /** In the filter language of the search API. */
  readonly filter?: string;
  readonly maxResults?: number;
  readonly anyModel?: boolean;
}

/** Managed search: lets a Gemini model on Vertex AI search a data store or a search engine. */
export class VertexAiSearchTool extends ModelTool {
  /** Throws `INVALID_FIELD` unless exactly one of store and engine is given. */
  constructor(options: VertexAiSearchToolOptions) {
    super({
      name: "vertex_ai_search",
      description: "Searches the documents of a data store.",
      declaration: { retrieval: { vertexAiSearch: searchOf(options) } },
      supports: isGemini,
      supported: "a Gemini model on Vertex AI",
      anyModel: options.anyModel,
    });
  }
}

function searchOf({
  dataStoreId,
  searchEngineId,
  dataStoreSpecs,
  filter,
  maxResults,
}: VertexAiSearchToolOptions): JsonObject {
  if ((dataStoreId === undefined) === (searchEngineId === undefined)) {
    throw new PlatformError("INVALID_FIELD", 'Managed search needs either "dataStoreId" or "searchEngineId".');
  }
  if (dataStoreSpecs !== undefined && searchEngineId === undefined) {
    throw new PlatformError("INVALID_FIELD", '"dataStoreSpecs" choose among the stores of a "searchEngineId".');
  }
  return present({
    datastore: dataStoreId,
    engine: searchEngineId,
    dataStoreSpecs,
    filter,
    maxResults,
  });
}
