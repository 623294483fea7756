import { BaseTool } from "#kit/core/base-tool.ts";
import type { ToolContext } from "#kit/core/context/tool-context.ts";
import type { FunctionDeclaration } from "../models/llm-request.ts";
import type { JsonObject } from "../platform/json.ts";

/** Lets the model leave the loop that its agent runs in. */
export class ExitLoopTool extends BaseTool {
  readonly #declaration: FunctionDeclaration;

  constructor() {
    super({
      name: "exit_loop",
      description: "Leaves the loop. Call it only when you were told to leave the loop at this point.",
      idempotent: true,
    });
    this.#declaration = { name: this.name, description: this.description };
  }

  /** Ends the loop that the tool's agent runs in, and the agent's turn with it. */
  static exitLoop(context: ToolContext): void {
    context.actions.escalate = true;
    context.actions.skipSummarization = true;
  }

  override getDeclaration(): FunctionDeclaration {
    return this.#declaration;
  }

  override async runAsync(_args: JsonObject, context: ToolContext): Promise<void> {
    ExitLoopTool.exitLoop(context);
  }
}
