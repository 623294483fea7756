import type { BaseAgent } from "./base-agent.ts";
import type { LlmAgent } from "./llm-agent.ts";

/** Tells LLM agents without loading their class, which the loop's steps that ask this are part of. */
export function isLlmAgent(agent: BaseAgent | undefined): agent is LlmAgent {
  return agent?.kind === "llm";
}
