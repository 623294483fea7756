import { IncludeContents } from "#kit/llm-agent/base/include-contents.ts";
import type { StepContext } from "#kit/llm-agent/base/step-context.ts";

/** Summarizes older history first when the prompt would be too long, where the app asks for it. */
export function compaction({ agent, context }: StepContext): void | Promise<void> {
  if (context.compactor === undefined || agent.includeContents === IncludeContents.NONE) return undefined;
  return context.compactor.beforeModelCall(agent, context);
}
