import { readArgs } from "#kit/definitions/yaml/read-args.ts";
import { ConfigurationException } from "#kit/errors/kit-errors.ts";
import { isJsonObject, type JsonValue } from "#kit/platform/json.ts";
import { VertexAiSearchTool } from "#kit/tools/model-tools/vertex-ai-search-tool.ts";
import { VertexRagRetrievalTool } from "#kit/tools/model-tools/vertex-rag-retrieval-tool.ts";
import type { ToolClass } from "./component-registry.ts";

const SEARCH_ARGS = {
  dataStoreId: "string",
  searchEngineId: "string",
  dataStoreSpecs: "list",
  filter: "string",
  maxResults: "number",
} as const;

export const vertexAiSearchTool: ToolClass = {
  fromConfig: (args) => {
    const { dataStoreSpecs, ...rest } = readArgs(args, SEARCH_ARGS);
    if (dataStoreSpecs === undefined) return new VertexAiSearchTool(rest);
    if (!dataStoreSpecs.every(isJsonObject))
      throw new ConfigurationException('"dataStoreSpecs" should be a list of maps.');
    return new VertexAiSearchTool({ ...rest, dataStoreSpecs });
  },
};

const RETRIEVAL_ARGS = {
  name: "string",
  description: "string",
  ragCorpora: "list",
  similarityTopK: "number",
  vectorDistanceThreshold: "number",
} as const;

export const vertexRagRetrievalTool: ToolClass = {
  fromConfig: (args) => {
    const {
      name = "retrieval",
      description = "Looks documents up.",
      ragCorpora = [],
      ...rest
    } = readArgs(args, RETRIEVAL_ARGS);
    if (!ragCorpora.every(isText)) throw new ConfigurationException('"ragCorpora" should be a list of names.');
    return new VertexRagRetrievalTool({ ...rest, name, description, ragCorpora });
  },
};

function isText(value: JsonValue): value is string {
  return typeof value === "string";
}
