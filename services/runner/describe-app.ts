import type { App } from "#kit/agents/app.ts";
import type { BaseAgent } from "#kit/agents/base-agent.ts";
import { LlmAgent } from "#kit/agents/llm-agent.ts";
import { SequentialAgent } from "#kit/agents/sequential-agent.ts";
import type { AgentInfo, AppInfo, ToolInfo } from "#kit/runner/runner-service.ts";
import { type BaseTool, isToolset, type Toolset } from "#kit/tools/base-tool.ts";

/** What a loader knows of an app besides its agents. */
export interface AppSource {
  readonly language: AppInfo["language"];
  readonly readme?: string;
}

/** An app as listings and graphs show it. Tools that are found only at run time are not asked for. */
export function describeApp(app: App, { language, readme }: AppSource): AppInfo {
  return {
    name: app.name,
    language,
    description: app.rootAgent.description,
    rootAgent: describeAgent(app.rootAgent),
    plugins: app.plugins.map(({ name }) => name),
    ...(readme !== undefined && { readme }),
  };
}

function describeAgent(agent: BaseAgent): AgentInfo {
  return {
    name: agent.name,
    description: agent.description,
    type: typeOf(agent),
    ...(agent instanceof LlmAgent && describeLlmAgent(agent)),
    tools: agent instanceof LlmAgent ? agent.tools.filter(isTool).map(describeTool) : [],
    subAgents: agent.subAgents.map(describeAgent),
  };
}

function typeOf(agent: BaseAgent): AgentInfo["type"] {
  if (agent instanceof LlmAgent) return "llm";
  return agent instanceof SequentialAgent ? "sequential" : "agent";
}

function describeLlmAgent({ model, instruction, outputKey }: LlmAgent): Partial<AgentInfo> {
  return {
    ...(model !== undefined && { model: typeof model === "string" ? model : model.model }),
    ...(instruction?.kind === "static" && { instruction: instruction.text }),
    ...(outputKey !== undefined && { outputKey }),
  };
}

function isTool(tool: BaseTool | Toolset): tool is BaseTool {
  return !isToolset(tool);
}

function describeTool(tool: BaseTool): ToolInfo {
  const parameters = tool.getDeclaration()?.parametersJsonSchema;
  return {
    name: tool.name,
    description: tool.description,
    type: "tool",
    ...(parameters !== undefined && { parameters }),
  };
}
