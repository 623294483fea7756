import type { App } from "#kit/core/app.ts";
import type { BaseAgent } from "#kit/core/base-agent.ts";
import { isLlmAgent, shutdownsInTree } from "#kit/llm-agent/base/base-llm-agent.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { AgentTool } from "#kit/tools/agent-tool.ts";
import type { AgentProblem } from "./find-source.ts";
import { instructionProblems } from "./instruction-problems.ts";
import { modelProblems, toolProblems } from "./model-problems.ts";
import { scheduleProblems } from "./schedule-problems.ts";
import { unreachableAgents } from "./unreachable-agents.ts";

/**
 * What would fail in the first run of an agent, of the agents below it and of those that its tools call: a model that
 * does not exist, a package or a key that is missing (a key: a warning), a model that is shut down (a warning), and two
 * tools of one name, and schedules that a server would refuse. Warnings are also placeholders that nothing fills and agents that nothing runs.
 */
export function agentProblems(app: App): readonly AgentProblem[] {
  const root = app.rootAgent;
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
  for (const problem of [...instructionProblems(app, [...seen]), ...unreachableAgents([...seen])])
    problems.set(problem.message, problem);
  for (const problem of scheduleProblems(app, systemClock.now())) problems.set(problem.message, problem);
  return [...problems.values()];
}
