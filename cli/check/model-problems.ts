import type { BaseAgent } from "#kit/core/base-agent.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { isLlmAgent, shutdownsInTree } from "#kit/llm-agent/base/base-llm-agent.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { AgentTool } from "#kit/tools/agent-tool.ts";

/** A problem of an app without a place in its files. */
export interface AgentProblem {
  readonly level: "error" | "warning";
  readonly message: string;
}

/**
 * What would fail in the first run of an agent, of the agents below it and of those that its tools call: a model that
 * does not exist, a package or a key that is missing (a key: a warning), a model that is shut down (a warning), and two
 * tools of one name.
 */
export function agentProblems(root: BaseAgent): readonly AgentProblem[] {
  const problems = new Map<string, AgentProblem>();
  const seen = new Set<BaseAgent>();
  const visit = (agent: BaseAgent): void => {
    if (seen.has(agent)) return;
    seen.add(agent);
    for (const problem of [...modelProblems(agent), ...toolProblems(agent)]) problems.set(problem.message, problem);
    agent.subAgents.forEach(visit);
    if (!isLlmAgent(agent)) return;
    for (const tool of agent.tools) if (tool instanceof AgentTool) visit(tool.agent);
  };
  visit(root);
  for (const message of shutdownsInTree(root, systemClock.now())) problems.set(message, { level: "warning", message });
  return [...problems.values()];
}

function modelProblems(agent: BaseAgent): readonly AgentProblem[] {
  if (!isLlmAgent(agent)) return [];
  try {
    agent.resolveModel().assertConfigured?.();
    return [];
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return [{ level: error.reason === "MODEL_KEY_MISSING" ? "warning" : "error", message: error.message }];
  }
}

function toolProblems(agent: BaseAgent): readonly AgentProblem[] {
  if (!isLlmAgent(agent)) return [];
  const names = agent.tools.flatMap((tool) => ("name" in tool && typeof tool.name === "string" ? [tool.name] : []));
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return [...repeated].map((name) => ({
    level: "error",
    message: `Agent "${agent.name}" has two tools named "${name}": give each its own name.`,
  }));
}
