import { PlatformError } from "#kit/errors/platform-error.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { BaseTool, type ToolLlmRequest } from "./base-tool.ts";
import type { ToolContext } from "./context/tool-context.ts";

/** Options of a tool that runs at the model's provider. */
export interface ModelToolOptions {
  /** The name in calls of the model; letters, digits, `_`, `.`, `-`. */
  readonly name: string;
  /** Describes to the model what the tool does and when to use it. */
  readonly description: string;
  /** The tool's entry in the request, as in the Gemini API. */
  readonly declaration: JsonObject;
  /** Whether a model supports the tool; gets the last segment of the model's name. */
  readonly supports: (modelName: string) => boolean;
  /** The supported models in words, for the error. */
  readonly supported: string;
  /** Skips that check, for models whose names do not identify them. */
  readonly anyModel?: boolean;
}

/** A tool that runs inside the model: the request declares it, and nothing here is called. */
export class ModelTool extends BaseTool {
  readonly #options: ModelToolOptions;

  constructor(options: ModelToolOptions) {
    super(options);
    this.#options = options;
  }

  /** Throws `MODEL_TOOL_UNSUPPORTED` for a model that does not support the tool. */
  override processLlmRequest(_context: ToolContext, request: ToolLlmRequest): void | Promise<void> {
    const { anyModel, declaration, supported, supports } = this.#options;
    if (anyModel !== true && !supports(modelNameOf(request.model))) {
      throw new PlatformError(
        "MODEL_TOOL_UNSUPPORTED",
        `The tool "${this.name}" runs inside the model, and "${request.model}" does not have it: use ${supported}.`,
        { details: { tool: this.name, model: request.model } },
      );
    }
    request.config = { ...request.config, modelTools: [...(request.config.modelTools ?? []), declaration] };
  }

  override async runAsync(): Promise<unknown> {
    return { error: `The tool "${this.name}" runs inside the model and cannot be called.` };
  }
}

/**
 * Names may be paths: of a resource (`projects/…/models/gemini-3.8-flash`) or of a gateway
 * (`apigee/gemini/v1/gemini-3.8-flash`).
 */
export function modelNameOf(model: string): string {
  return model.slice(model.lastIndexOf("/") + 1);
}

export function isGemini(modelName: string): boolean {
  return modelName.startsWith("gemini-");
}

/** Names without a number, such as `gemini-flash-latest`, mean the newest version. */
export function isGemini2OrNewer(modelName: string): boolean {
  return isGemini(modelName) && !/^gemini-1(?:[.-]|$)/.test(modelName);
}
