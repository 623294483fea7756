import { isGemini2OrNewer, ModelTool } from "#kit/core/model-tool.ts";

/** Web search with the compliance of Vertex AI; the Gemini API does not have it. */
export class EnterpriseWebSearchTool extends ModelTool {
  constructor(options: { readonly anyModel?: boolean } = {}) {
    super({
      name: "enterprise_web_search",
      description: "Searches the web through Vertex AI.",
      declaration: { enterpriseWebSearch: {} },
      supports: isGemini2OrNewer,
      supported: "a Gemini model from 2 on, on Vertex AI",
      ...options,
    });
  }
}
