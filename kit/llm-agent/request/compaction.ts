import { IncludeContents } from "#kit/llm-agent/base/include-contents.ts";
import type { StepContext } from "#kit/llm-agent/base/step-context.ts";

/** Summarizes older history if the prompt would be too long and the app configures compaction. */
export function compaction({ agent, context }: StepContext): void | Promise<void> {
  if (context.compactor === undefined || agent.includeContents === IncludeContents.NONE) return undefined;
  return context.compactor.beforeModelCall(agent, context);
}
