import { isToolset } from "#kit/core/base-tool.ts";
import { ToolContext } from "#kit/core/context/tool-context.ts";
import type { RequestStep } from "#kit/llm-agent/base/step-context.ts";

/** Calls every tool and toolset of the agent to change the request; most add their declaration. */
export function tools(step: RequestStep): void | Promise<void> {
  return step.agent.tools.length === 0 ? undefined : addTools(step);
}

async function addTools({ agent, context, request }: RequestStep): Promise<void> {
  const toolContext = new ToolContext(context);
  for (const entry of agent.tools) {
    // Most tools only declare themselves; awaiting those would cost a turn of the microtask queue each.
    const pending = entry.processLlmRequest?.(toolContext, request);
    if (pending !== undefined) await pending;
    if (!isToolset(entry)) continue;
    for (const tool of await entry.getTools(toolContext)) await tool.processLlmRequest(toolContext, request);
  }
}
