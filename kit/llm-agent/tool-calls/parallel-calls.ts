import { ToolExecutionMode } from "#kit/core/context/run-config.ts";
import type { StepContext } from "#kit/llm-agent/base/step-context.ts";
import type { PlannedCall } from "./call-tool.ts";
import { MAX_PARALLEL_CALLS } from "./tool-limits.ts";

/** How many calls of one answer may run at the same time, and which of them have to run alone. */
export function concurrencyOf({ context, request }: StepContext): {
  readonly maxParallel: number;
  readonly isAlone: (call: PlannedCall) => boolean;
} {
  const isSequential = context.runConfig.toolExecutionMode === ToolExecutionMode.SEQUENTIAL;
  return {
    maxParallel: isSequential ? 1 : MAX_PARALLEL_CALLS,
    isAlone: ({ part }) => request.tools.get(part.functionCall?.name ?? "")?.parallelSafe === false,
  };
}
