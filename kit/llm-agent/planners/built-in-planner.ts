import type { BasePlanner } from "#kit/core/base-planner.ts";
import type { ToolLlmRequest } from "#kit/core/base-tool.ts";
import type { ReadonlyContext } from "#kit/core/context/readonly-context.ts";
import type { JsonObject } from "#kit/platform/json.ts";

/** Leaves the planning to the model's own thinking. Models without thinking ignore the settings. */
export class BuiltInPlanner implements BasePlanner {
  readonly thinkingConfig: JsonObject;

  /** Settings as in the Gemini API: `thinkingBudget`, `thinkingLevel`, `includeThoughts`. */
  constructor(options: { readonly thinkingConfig: JsonObject }) {
    this.thinkingConfig = options.thinkingConfig;
  }

  buildPlanningInstruction(context: ReadonlyContext, request: ToolLlmRequest): undefined {
    if (request.config.thinkingConfig !== undefined) {
      const { agentName, invocationContext } = context;
      invocationContext.services.logger.warn(
        { agentName },
        "the planner's thinkingConfig replaces that of generateContentConfig: set it in one place",
      );
    }
    request.config = { ...request.config, thinkingConfig: this.thinkingConfig };
  }
}
