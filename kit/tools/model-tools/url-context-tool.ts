import { isGemini2OrNewer, ModelTool } from "#kit/core/model-tool.ts";

/** Lets the model read the pages whose addresses are in the conversation. */
export class UrlContextTool extends ModelTool {
  constructor(options: { readonly anyModel?: boolean } = {}) {
    super({
      name: "url_context",
      description: "Reads the pages whose addresses are in the conversation.",
      declaration: { urlContext: {} },
      supports: isGemini2OrNewer,
      supported: "a Gemini model from 2 on",
      ...options,
    });
  }
}
