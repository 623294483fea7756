import { BaseTool, type ToolLlmRequest } from "#kit/core/base-tool.ts";
import type { ToolContext } from "#kit/core/context/tool-context.ts";
import { isGemini2OrNewer, ModelTool, modelNameOf } from "#kit/core/model-tool.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { usesVertexAi as variablesChooseVertexAi } from "#kit/models/gemini/google-genai.ts";
import type { FunctionDeclaration } from "#kit/models/llm-request.ts";
import { readEnvironment } from "#kit/platform/environment.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { present } from "#kit/platform/members.ts";

/** Options of a `VertexRagRetrievalTool`. */
export interface VertexRagRetrievalToolOptions {
  /** The name in calls of the model, if the tool is a function. */
  readonly name: string;
  readonly description: string;
  /** `projects/…/ragCorpora/…`. */
  readonly ragCorpora?: readonly string[];
  /** A corpus, or files of one. */
  readonly ragResources?: readonly { readonly ragCorpus: string; readonly ragFileIds?: readonly string[] }[];
  readonly similarityTopK?: number;
  readonly vectorDistanceThreshold?: number;
  /** Finds texts for a query, best first: for models without retrieval of their own. */
  readonly retrieve?: (query: string, signal: AbortSignal) => Promise<readonly string[]>;
  /** Whether the agent's models are reached through Vertex AI; default: the value of GOOGLE_GENAI_USE_VERTEXAI. */
  readonly usesVertexAi?: boolean;
}

/** Managed retrieval: Gemini on Vertex AI retrieves by itself; any other model gets a function. */
export class VertexRagRetrievalTool extends BaseTool {
  readonly #options: VertexRagRetrievalToolOptions;
  readonly #inModel: ModelTool;

  /** Throws `INVALID_FIELD` if it names nothing to search. */
  constructor(options: VertexRagRetrievalToolOptions) {
    super({ ...options, idempotent: true });
    this.#options = options;
    this.#inModel = new ModelTool({
      name: options.name,
      description: options.description,
      declaration: { retrieval: { vertexRagStore: storeOf(options) } },
      supports: isGemini2OrNewer,
      supported: 'a Gemini model on Vertex AI, or give the tool "retrieve"',
    });
  }

  override getDeclaration(): FunctionDeclaration {
    const query = { type: "string", description: "What to look for." };
    return { name: this.name, description: this.description, parameters: { type: "object", properties: { query } } };
  }

  override processLlmRequest(context: ToolContext, request: ToolLlmRequest): void | Promise<void> {
    const hasOwn = this.#usesVertexAi() && isGemini2OrNewer(modelNameOf(request.model));
    if (!hasOwn && this.#options.retrieve !== undefined) return super.processLlmRequest(context, request);
    if (hasOwn || !isGemini2OrNewer(modelNameOf(request.model)))
      return this.#inModel.processLlmRequest(context, request);
    throw new PlatformError(
      "MODEL_TOOL_UNSUPPORTED",
      `The tool "${this.name}" runs inside models on Vertex AI, and "${request.model}" is reached through the Gemini API: set GOOGLE_GENAI_USE_VERTEXAI, or give the tool "retrieve".`,
      { details: { tool: this.name, model: request.model } },
    );
  }

  override async runAsync(args: JsonObject, { signal }: ToolContext): Promise<unknown> {
    const query = typeof args["query"] === "string" ? args["query"] : "";
    const texts = (await this.#options.retrieve?.(query, signal)) ?? [];
    return { response: texts.length === 0 ? `Nothing was found for: ${query}` : texts };
  }

  #usesVertexAi(): boolean {
    const { usesVertexAi } = this.#options;
    return usesVertexAi ?? variablesChooseVertexAi(readEnvironment);
  }
}

function storeOf({
  ragCorpora,
  ragResources,
  similarityTopK,
  vectorDistanceThreshold,
}: VertexRagRetrievalToolOptions): JsonObject {
  if ((ragCorpora ?? ragResources ?? []).length === 0) {
    throw new PlatformError("INVALID_FIELD", 'Managed retrieval needs "ragCorpora" or "ragResources".');
  }
  return present({
    ragCorpora,
    ragResources: ragResources?.map((resource) => ({ ...resource })),
    similarityTopK,
    vectorDistanceThreshold,
  });
}
