import type { BaseTool } from "#kit/core/base-tool.ts";
import { firstAnswer, ownLinks } from "#kit/core/compose.ts";
import type { ToolContext } from "#kit/core/context/tool-context.ts";
import { pluginLinks } from "#kit/core/plugin-manager.ts";
import type { StepContext } from "#kit/llm-agent/base/step-context.ts";
import type { JsonObject, JsonValue } from "#kit/platform/json.ts";

/** One call, as its callbacks get it. */
export interface ToolCall {
  readonly step: StepContext;
  readonly tool: BaseTool;
  readonly toolContext: ToolContext;
  readonly args: Record<string, JsonValue>;
}

/** Whether the agent or a plugin has the hook: an empty chain costs turns of the microtask queue. */
export function watches({ step }: ToolCall, hook: "beforeToolCallback" | "afterToolCallback"): boolean {
  const { agent, context } = step;
  const own = hook === "beforeToolCallback" ? agent.beforeToolCallbacks : agent.afterToolCallbacks;
  return own.length > 0 || pluginLinks(context, hook).length > 0;
}

/** A result that replaces the tool call. */
export async function beforeTool({ step, tool, toolContext, args }: ToolCall): Promise<JsonObject | undefined> {
  const { agent, context } = step;
  const plugins = pluginLinks(context, "beforeToolCallback");
  const own = ownLinks(agent.name, agent.beforeToolCallbacks);
  return (
    (await firstAnswer("beforeToolCallback", plugins, tool, args, toolContext)) ??
    (await firstAnswer("beforeToolCallback", own, context, tool, args, toolContext))
  );
}

/** A result that replaces the tool's. */
export async function afterTool(call: ToolCall, result: JsonObject): Promise<JsonObject | undefined> {
  const { step, tool, toolContext, args } = call;
  const { agent, context } = step;
  const plugins = pluginLinks(context, "afterToolCallback");
  const own = ownLinks(agent.name, agent.afterToolCallbacks);
  return (
    (await firstAnswer("afterToolCallback", plugins, tool, args, toolContext, result)) ??
    (await firstAnswer("afterToolCallback", own, context, tool, args, toolContext, result))
  );
}

/** A result instead of the error. */
export async function onToolError(call: ToolCall, error: Error): Promise<JsonObject | undefined> {
  const { step, tool, toolContext, args } = call;
  const { agent, context } = step;
  const plugins = pluginLinks(context, "onToolErrorCallback");
  if (plugins.length === 0 && agent.onToolErrorCallbacks.length === 0) return undefined;
  const own = ownLinks(agent.name, agent.onToolErrorCallbacks);
  return (
    (await firstAnswer("onToolErrorCallback", plugins, tool, args, toolContext, error)) ??
    (await firstAnswer("onToolErrorCallback", own, context, tool, args, toolContext, error))
  );
}
