import { readArgs } from "#kit/definitions/yaml/read-args.ts";
import { Type } from "#kit/schema/shape.ts";
import { VertexAiSearchTool } from "#kit/tools/model-tools/vertex-ai-search-tool.ts";
import { VertexRagRetrievalTool } from "#kit/tools/model-tools/vertex-rag-retrieval-tool.ts";
import type { ToolClass } from "./component-registry.ts";

const SEARCH_ARGS = {
  dataStoreId: Type.String(),
  searchEngineId: Type.String(),
  dataStoreSpecs: Type.Array(Type.JsonObject()),
  filter: Type.String(),
  maxResults: Type.Number(),
};

export const vertexAiSearchTool: ToolClass = {
  fromConfig: (args) => new VertexAiSearchTool(readArgs(args, SEARCH_ARGS)),
};

const RETRIEVAL_ARGS = {
  name: Type.String(),
  description: Type.String(),
  ragCorpora: Type.Array(Type.String()),
  similarityTopK: Type.Number(),
  vectorDistanceThreshold: Type.Number(),
};

export const vertexRagRetrievalTool: ToolClass = {
  fromConfig: (args) => {
    const {
      name = "retrieval",
      description = "Looks documents up.",
      ragCorpora = [],
      ...rest
    } = readArgs(args, RETRIEVAL_ARGS);
    return new VertexRagRetrievalTool({ ...rest, name, description, ragCorpora });
  },
};
