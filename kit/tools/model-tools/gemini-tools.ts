import { isGemini2OrNewer, ModelTool } from "#kit/core/model-tool.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { BaseLlm } from "#kit/models/base-llm.ts";
import { AgentTool } from "#kit/tools/agent-tool.ts";

/**
 * Lets the model search the web. Before Gemini 3 it cannot be combined with other tools: use
 * `createGoogleSearchAgentTool` there.
 */
export class GoogleSearchTool extends ModelTool {
  constructor(options: { readonly anyModel?: boolean } = {}) {
    super({
      name: "google_search",
      description: "Searches the web with Google.",
      declaration: { googleSearch: {} },
      supports: isGemini2OrNewer,
      supported: "a Gemini model from 2 on",
      ...options,
    });
  }
}

/** Web search as a function, which can be combined with any other tools: an agent whose only tool is the search. */
export function createGoogleSearchAgentTool(model: BaseLlm | string): AgentTool {
  const agent = new LlmAgent({
    name: "google_search_agent",
    model,
    description: "Searches the web with Google and reports the results.",
    instruction: "Search the web for the question, and report the results with their sources.",
    tools: [new GoogleSearchTool()],
  });
  return new AgentTool({ agent });
}

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

/** Lets the model look places up in Google Maps. */
export class GoogleMapsGroundingTool extends ModelTool {
  constructor(options: { readonly anyModel?: boolean } = {}) {
    super({
      name: "google_maps",
      description: "Looks places up in Google Maps.",
      declaration: { googleMaps: {} },
      supports: isGemini2OrNewer,
      supported: "a Gemini model from 2 on",
      ...options,
    });
  }
}

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
