import { BaseTool } from "#kit/core/base-tool.ts";
import type { ToolContext } from "#kit/core/context/tool-context.ts";
import type { BaseLlmAgent } from "#kit/llm-agent/base/base-llm-agent.ts";
import { transferTargets } from "#kit/llm-agent/transfer/transfer-targets.ts";
import type { FunctionDeclaration } from "#kit/models/llm-request.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { checkArguments } from "#kit/schema/arguments/repaired-arguments.ts";
import type { Schema } from "#kit/schema/schema.ts";

export const SET_MODEL_RESPONSE_NAME = "set_model_response";

/** The member for a value that is not an object, because a model's arguments always are. */
const VALUE = "value";

/** Receives the answer of an agent whose model does not support a schema and tools in one request. */
export class SetModelResponseTool extends BaseTool {
  readonly #schema: Schema;
  readonly #declaration: FunctionDeclaration;
  readonly #wrapped: boolean;

  constructor(schema: Schema) {
    super({
      name: SET_MODEL_RESPONSE_NAME,
      description: "Gives your final answer. Call it once you have all that it needs, with every required field.",
      idempotent: true,
    });
    this.#schema = schema;
    this.#wrapped = schema.jsonSchema["type"] !== "object";
    this.#declaration = {
      name: this.name,
      description: this.description,
      parameters: this.#wrapped
        ? { type: "object", properties: { [VALUE]: schema.jsonSchema }, required: [VALUE] }
        : schema.jsonSchema,
    };
  }

  override getDeclaration(): FunctionDeclaration {
    return this.#declaration;
  }

  /**
   * A value that fits becomes the agent's answer; the problems of another are returned to the model, which may call
   * again.
   */
  override async runAsync(args: JsonObject, context: ToolContext): Promise<unknown> {
    const checked = await checkArguments(this.#schema, this.#wrapped ? (args[VALUE] ?? null) : args);
    if (!checked.ok) {
      const problems = checked.problems.join("; ");
      return { error: `The answer does not fit its schema: ${problems}. Fix this and call ${this.name} again.` };
    }
    // Defaults and transformations of the schema may produce values that are not JSON.
    const value = JSON.parse(JSON.stringify(checked.value ?? null));
    context.actions.setModelResponse = value;
    return isJsonObject(value) ? value : { result: value };
  }
}

/**
 * Whether the agent gives its structured answer by a tool call, because its model does not support a schema and tools
 * in one request.
 */
export function answersByTool(agent: BaseLlmAgent): boolean {
  return agent.outputSchema !== undefined && usesTools(agent) && !agent.resolveModel().supportsOutputSchemaWithTools;
}

/** Tools that run inside the model count too: with them such a model supports no schema either. */
function usesTools(agent: BaseLlmAgent): boolean {
  return agent.tools.length > 0 || agent.codeExecutor?.kind === "model" || transferTargets(agent).length > 0;
}
