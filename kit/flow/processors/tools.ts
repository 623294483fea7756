import { ReadonlyContext } from "#kit/agents/readonly-context.ts";
import { type BaseTool, isToolset } from "#kit/tools/base-tool.ts";
import { ToolContext } from "#kit/tools/tool-context.ts";
import type { StepContext } from "../step-context.ts";

/** Lets every tool of the agent, and of its toolsets, put its declaration (or whatever it does) into the request. */
export async function tools({ agent, context, request }: StepContext): Promise<void> {
  for (const entry of agent.tools) {
    const found: readonly BaseTool[] = isToolset(entry) ? await entry.getTools(new ReadonlyContext(context)) : [entry];
    for (const tool of found) await tool.processLlmRequest(new ToolContext(context), request);
  }
}
