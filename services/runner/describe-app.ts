import type { BaseAgent } from "#kit/core/base-agent.ts";
import { type BaseTool, isToolset, type Toolset } from "#kit/core/base-tool.ts";
import type { LoadedApp } from "#kit/definitions/loaders/agent-loader.ts";
import { type BaseLlmAgent, isLlmAgent } from "#kit/llm-agent/base/base-llm-agent.ts";
import { PlannerAgent } from "#kit/planners/planner-agent.ts";
import type { AgentInfo, AppInfo, ToolInfo } from "#ports/runs/runner-service.ts";

/** Describes an app for listings and graphs. Tools that are resolved only at run time are left out. */
export function describeApp({ name, app, language, readme, agentRevision }: LoadedApp): AppInfo {
  return {
    name,
    language,
    description: app.rootAgent.description,
    rootAgent: describeAgent(app.rootAgent),
    plugins: app.plugins.map((plugin) => plugin.name),
    agentRevision,
    readme,
    onDisconnect: app.onDisconnect,
    examples: app.examples,
    schedules: app.schedules,
    webhooks: app.webhooks,
    inbox: app.inbox,
  };
}

function describeAgent(agent: BaseAgent): AgentInfo {
  const runsModel = isLlmAgent(agent);
  return {
    name: agent.name,
    description: agent.description,
    type: agent.kind,
    ...(runsModel && describeModelSide(agent)),
    planner: agent instanceof PlannerAgent ? agent.describePlanner() : undefined,
    tools: runsModel ? agent.tools.filter(isTool).map(describeTool) : [],
    subAgents: agent.subAgents.map(describeAgent),
  };
}

function describeModelSide({
  model,
  instruction,
  outputKey,
}: BaseLlmAgent): Pick<AgentInfo, "model" | "instruction" | "outputKey"> {
  return {
    ...(model !== undefined && { model: typeof model === "string" ? model : model.model }),
    instruction: instruction?.kind === "static" ? instruction.text : undefined,
    outputKey,
  };
}

function isTool(tool: BaseTool | Toolset): tool is BaseTool {
  return !isToolset(tool);
}

function describeTool(tool: BaseTool): ToolInfo {
  const parameters = tool.getDeclaration()?.parameters;
  return {
    name: tool.name,
    description: tool.description,
    type: "tool",
    parameters,
  };
}
