import type { App } from "#kit/core/app.ts";
import type { BaseAgent } from "#kit/core/base-agent.ts";
import { isLlmAgent } from "#kit/llm-agent/base/base-llm-agent.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { AgentTool } from "#kit/tools/agent-tool.ts";
import type { AgentProblem } from "./find-source.ts";
import { instructionProblems } from "./instruction-problems.ts";
import { modelProblems } from "./model-problems.ts";
import { scheduleProblems } from "./schedule-problems.ts";
import { toolProblems } from "./tool-problems.ts";
import { unreachableAgents } from "./unreachable-agents.ts";

/**
 * What would fail in the first run of an agent, of the agents below it and of those that its tools call: a model that
 * does not exist, a package or a key that is missing (a key: a warning), a model that is shut down (a warning), two
 * tools of one name, and schedules that a server would refuse. Warnings are also placeholders that nothing fills, agents
 * that nothing runs, and names of tools that the provider does not take.
 */
export function agentProblems(app: App): readonly AgentProblem[] {
  const root = app.rootAgent;
  const now = systemClock.now();
  const problems = new Map<string, AgentProblem>();
  const seen = new Set<BaseAgent>();
  const visit = (agent: BaseAgent): void => {
    if (seen.has(agent)) return;
    seen.add(agent);
    for (const problem of [...modelProblems(agent, now), ...toolProblems(agent)])
      if (!problems.has(problem.message)) problems.set(problem.message, problem);
    agent.subAgents.forEach(visit);
    if (!isLlmAgent(agent)) return;
    for (const tool of agent.tools) if (tool instanceof AgentTool) visit(tool.agent);
  };
  visit(root);
  for (const problem of [...instructionProblems(app, [...seen]), ...unreachableAgents([...seen])])
    problems.set(problem.message, problem);
  for (const problem of scheduleProblems(app, now)) problems.set(problem.message, problem);
  return [...problems.values()];
}
