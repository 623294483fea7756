import { IncludeContents } from "#kit/llm-agent/base/include-contents.ts";
import type { RequestStep } from "#kit/llm-agent/base/step-context.ts";

/** Summarizes older history if the prompt would be too long and the app configures compaction. */
export function compaction({ agent, context }: RequestStep): void | Promise<void> {
  if (context.compactor === undefined || agent.includeContents === IncludeContents.NONE) return undefined;
  return context.compactor.beforeModelCall(agent, context);
}
