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
