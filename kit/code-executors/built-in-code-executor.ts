import type { ModelCodeExecutor } from "#kit/core/code-executor.ts";
import { isGemini2OrNewer, modelNameOf } from "#kit/core/model-tool.ts";
import { PlatformError } from "../errors/platform-error.ts";
import type { LlmRequest } from "../models/llm-request.ts";

/** Lets the model run code in the sandbox of its provider, within its own answer. */
export class BuiltInCodeExecutor implements ModelCodeExecutor {
  readonly kind = "model";
  readonly #anyModel: boolean;

  /** `anyModel` skips the check of the model's name, for names that do not identify the model. */
  constructor(options: { readonly anyModel?: boolean } = {}) {
    this.#anyModel = options.anyModel ?? false;
  }

  processLlmRequest(request: LlmRequest): void {
    if (!this.#anyModel && !isGemini2OrNewer(modelNameOf(request.model))) {
      throw new PlatformError(
        "MODEL_TOOL_UNSUPPORTED",
        `The model "${request.model}" runs no code itself: use a Gemini model from 2 on, or a ContainerCodeExecutor.`,
        { details: { model: request.model } },
      );
    }
    const modelTools = request.config.modelTools ?? [];
    if (modelTools.some((tool) => "codeExecution" in tool)) return;
    request.config = { ...request.config, modelTools: [...modelTools, { codeExecution: {} }] };
  }
}
