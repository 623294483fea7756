import type { BaseAgent } from "#kit/core/base-agent.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { isLlmAgent } from "#kit/llm-agent/base/base-llm-agent.ts";
import type { AgentProblem } from "./find-source.ts";

/** A model that does not exist, or whose package or key is missing. */
export function modelProblems(agent: BaseAgent): readonly AgentProblem[] {
  if (!isLlmAgent(agent)) return [];
  try {
    agent.resolveModel().assertConfigured?.();
    return [];
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return [{ level: error.reason === "MODEL_KEY_MISSING" ? "warning" : "error", message: error.message }];
  }
}

/** Tools of one name. */
export function toolProblems(agent: BaseAgent): readonly AgentProblem[] {
  if (!isLlmAgent(agent)) return [];
  const names = agent.tools.flatMap((tool) => ("name" in tool && typeof tool.name === "string" ? [tool.name] : []));
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return [...repeated].map((name) => ({
    level: "error",
    message: `Agent "${agent.name}" has two tools named "${name}": give each its own name.`,
  }));
}
