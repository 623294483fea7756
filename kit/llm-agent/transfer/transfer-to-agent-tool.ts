import type { BaseAgent } from "#kit/core/base-agent.ts";
import { BaseTool, ToolOrigin } from "#kit/core/base-tool.ts";
import type { ToolContext } from "#kit/core/context/tool-context.ts";
import type { FunctionDeclaration } from "#kit/models/llm-request.ts";
import type { JsonObject } from "#kit/platform/json.ts";

export const TRANSFER_TOOL_NAME = "transfer_to_agent";

/** Lets the model transfer the conversation to one of the given agents. */
export class TransferToAgentTool extends BaseTool {
  readonly #declaration: FunctionDeclaration;
  readonly #names: readonly string[];

  constructor(targets: readonly BaseAgent[]) {
    super({
      name: TRANSFER_TOOL_NAME,
      description: "Hands the conversation over to the agent that fits the question best.",
      idempotent: true,
    });
    this.#names = targets.map((agent) => agent.name);
    this.#declaration = {
      name: this.name,
      description: this.description,
      parameters: {
        type: "object",
        properties: {
          agent_name: { type: "string", description: "Name of the agent to hand over to.", enum: this.#names },
        },
        required: ["agent_name"],
      },
    };
  }

  override get toolOrigin(): ToolOrigin {
    return ToolOrigin.TRANSFER_AGENT;
  }

  override getDeclaration(): FunctionDeclaration {
    return this.#declaration;
  }

  /** A name that is not a target is reported to the model; there is no transfer. */
  override async runAsync(args: JsonObject, context: ToolContext): Promise<unknown> {
    const name = args["agent_name"];
    if (typeof name !== "string" || !this.#names.includes(name)) {
      return {
        error: `There is no agent "${String(name)}" to hand over to. Choose one of: ${this.#names.join(", ")}.`,
      };
    }
    context.actions.transferToAgent = name;
    return undefined;
  }
}
