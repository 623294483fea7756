import type { BaseLlmAgent } from "#kit/llm-agent/base/base-llm-agent.ts";
import type { RequestStep, ResponseProcessor } from "#kit/llm-agent/base/step-context.ts";
import type { Schema } from "#kit/schema/schema.ts";
import { checkOutput, requestFix } from "./check-output.ts";
import { answersByTool, SET_MODEL_RESPONSE_NAME, SetModelResponseTool } from "./set-model-response-tool.ts";

/**
 * Requests an answer by the agent's output schema: by the request's config, or by a tool if the model does not support
 * both.
 */
export function outputSchema({ agent, request }: RequestStep): void {
  if (agent.outputSchema === undefined) return;
  if (answersByTool(agent)) {
    request.appendInstructions(INSTRUCTION);
    request.appendTools(responseTool(agent, agent.outputSchema));
    return;
  }
  request.config = {
    ...request.config,
    responseMimeType: "application/json",
    responseSchema: agent.outputSchema.jsonSchema,
  };
}

/** Checks the final text, and asks the model once to fix it. */
export const outputSchemaResponse: ResponseProcessor = {
  applies: (agent) => agent.outputSchema !== undefined,
  rewrite: (step, response) => checkOutput(step, response),
  followUp: (step) => {
    const { outputVerdict } = step;
    return outputVerdict?.kind === "to-fix" ? requestFix(step, outputVerdict.problems) : undefined;
  },
};

const responseTools = new WeakMap<BaseLlmAgent, SetModelResponseTool>();

function responseTool(agent: BaseLlmAgent, schema: Schema): SetModelResponseTool {
  const known = responseTools.get(agent);
  if (known !== undefined) return known;
  const tool = new SetModelResponseTool(schema);
  responseTools.set(agent, tool);
  return tool;
}

const INSTRUCTION =
  `Use your other tools as you need them. Give your final answer only by calling the function \`${SET_MODEL_RESPONSE_NAME}\`, with all its required fields; ` +
  "do not write it as text.";
