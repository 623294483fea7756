import { isGemini2OrNewer, ModelTool } from "#kit/core/model-tool.ts";

/** Lets the model run code in the sandbox of its provider. */
export class BuiltInCodeExecutionTool extends ModelTool {
  constructor(options: { readonly anyModel?: boolean } = {}) {
    super({
      name: "code_execution",
      description: "Runs code in the sandbox of the model's provider.",
      declaration: { codeExecution: {} },
      supports: isGemini2OrNewer,
      supported: "a Gemini model from 2 on",
      ...options,
    });
  }
}
