import { isGemini2OrNewer, ModelTool } from "#kit/core/model-tool.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { BaseLlm } from "#kit/models/base-llm.ts";
import { AgentTool } from "#kit/tools/agent-tool.ts";

/** Lets the model search the web. Before Gemini 3 it cannot stand beside other tools: use `createGoogleSearchAgentTool` there. */
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

/** Web search as a function, which may stand beside any other tools: an agent of its own that has nothing but the search. */
export function createGoogleSearchAgentTool(model: BaseLlm | string): AgentTool {
  const agent = new LlmAgent({
    name: "google_search_agent",
    model,
    description: "Searches the web with Google and tells what it found.",
    instruction: "Search the web for what you are asked, and tell what you found with its sources.",
    tools: [new GoogleSearchTool()],
  });
  return new AgentTool({ agent });
}
