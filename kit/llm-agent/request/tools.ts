import { isToolset } from "#kit/core/base-tool.ts";
import { ToolContext } from "#kit/core/context/tool-context.ts";
import type { RequestStep } from "#kit/llm-agent/base/step-context.ts";
import type { Logger } from "#kit/platform/logger.ts";

/** Calls every tool and toolset of the agent to change the request; most add their declaration. */
export function tools(step: RequestStep): void | Promise<void> {
  return step.agent.tools.length === 0 ? undefined : addTools(step);
}

/** The names of tools that were left out and logged, by agent. */
const shadowed = new WeakMap<object, Set<string>>();

/**
 * Tools of a toolset often come from another server: one that has the name of a tool before it is left out, so that a
 * server cannot put itself in the place of another or of the author's own tool.
 */
async function addTools({ agent, context, request }: RequestStep): Promise<void> {
  const toolContext = new ToolContext(context);
  for (const entry of agent.tools) {
    // Most tools only declare themselves; awaiting those would cost a turn of the microtask queue each.
    const pending = entry.processLlmRequest?.(toolContext, request);
    if (pending !== undefined) await pending;
    if (!isToolset(entry)) continue;
    for (const tool of await entry.getTools(toolContext)) {
      if (request.tools.has(tool.name)) warnOnce(agent, tool.name, context.services.logger);
      else await tool.processLlmRequest(toolContext, request);
    }
  }
}

function warnOnce(agent: RequestStep["agent"], name: string, logger: Logger): void {
  const known = shadowed.get(agent) ?? new Set();
  shadowed.set(agent, known);
  if (known.has(name)) return;
  known.add(name);
  logger.warn(
    { agent: agent.name, tool: name },
    "tool left out: another has its name; give the toolset a toolNamePrefix",
  );
}
