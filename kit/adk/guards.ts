import { LoopAgent } from "#kit/agents/loop-agent.ts";
import { ParallelAgent } from "#kit/agents/parallel-agent.ts";
import { SequentialAgent } from "#kit/agents/sequential-agent.ts";
import { App } from "#kit/core/app.ts";
import { BaseAgent } from "#kit/core/base-agent.ts";
import { BaseTool } from "#kit/core/base-tool.ts";
import { BaseToolset } from "#kit/core/base-toolset.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { Runner } from "#kit/runs/runner.ts";
import { AgentTool } from "#kit/tools/agent-tool.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";

/** Whether the value is an agent of any kind. */
export function isBaseAgent(value: unknown): value is BaseAgent {
  return value instanceof BaseAgent;
}

/** Whether the value is an agent with a model. */
export function isLlmAgent(value: unknown): value is LlmAgent {
  return value instanceof LlmAgent;
}

/** Whether the value is an agent that repeats its sub-agents. */
export function isLoopAgent(value: unknown): value is LoopAgent {
  return value instanceof LoopAgent;
}

/** Whether the value is an agent that runs its sub-agents concurrently. */
export function isParallelAgent(value: unknown): value is ParallelAgent {
  return value instanceof ParallelAgent;
}

/** Whether the value is an agent that runs its sub-agents in order. */
export function isSequentialAgent(value: unknown): value is SequentialAgent {
  return value instanceof SequentialAgent;
}

/** Whether the value is a tool of any kind. */
export function isBaseTool(value: unknown): value is BaseTool {
  return value instanceof BaseTool;
}

/** Whether the value is a tool that calls a function. */
export function isFunctionTool(value: unknown): value is FunctionTool {
  return value instanceof FunctionTool;
}

/** Whether the value is a tool that calls an agent. */
export function isAgentTool(value: unknown): value is AgentTool {
  return value instanceof AgentTool;
}

/** Whether the value is a toolset that extends `BaseToolset`. */
export function isBaseToolset(value: unknown): value is BaseToolset {
  return value instanceof BaseToolset;
}

/** Whether the value is an app. */
export function isApp(value: unknown): value is App {
  return value instanceof App;
}

/** Whether the value is a runner. */
export function isRunner(value: unknown): value is Runner {
  return value instanceof Runner;
}
