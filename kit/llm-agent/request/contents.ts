import { IncludeContents } from "#kit/llm-agent/base/include-contents.ts";
import type { RequestStep } from "#kit/llm-agent/base/step-context.ts";

/** Adds the part of the conversation that this agent may see. */
export function contents({ agent, context, request }: RequestStep): void {
  const viewer = { agentName: agent.name, branch: context.branch };
  request.contents =
    agent.includeContents === IncludeContents.NONE
      ? context.history.currentTurn(viewer)
      : context.history.contents(viewer);
  if (context.toolInput !== undefined) request.contents.unshift(context.toolInput);
}
