import { BaseTool } from "#kit/core/base-tool.ts";
import type { FunctionDeclaration } from "#kit/models/llm-request.ts";
import type { JsonObject } from "#kit/platform/json.ts";

const DECLARATION: FunctionDeclaration = {
  name: "stop_streaming",
  description: "Stops a function that sends results as they arrive.",
  parameters: {
    type: "object",
    properties: { function_name: { type: "string", description: "The name of the function to stop." } },
    required: ["function_name"],
  },
};

/** Lets a live model stop another tool's stream. Declared if a tool of the agent may stream. */
export class StopStreamingTool extends BaseTool {
  readonly #stop: (name: string) => boolean;

  /** `stop` returns whether a function of that name was running. */
  constructor(stop: (name: string) => boolean) {
    super({ name: DECLARATION.name, description: DECLARATION.description ?? "", idempotent: true });
    this.#stop = stop;
  }

  override getDeclaration(): FunctionDeclaration {
    return DECLARATION;
  }

  override async runAsync({ function_name: given, functionName = given }: JsonObject): Promise<JsonObject> {
    const name = String(functionName);
    return { status: this.#stop(name) ? `${name} was stopped.` : `${name} is not running.` };
  }
}
